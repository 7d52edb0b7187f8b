// Replays recorded runs on the plugin: a loop of the trainer's moments, a real folder, and a file's name as its
// content.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "tests/plugin_api/fake_host.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/vectors.h"

namespace checkpoint {
namespace {

namespace fs = std::filesystem;
using mortise::support::TemporaryFolder;
using mortise::support::vector_number;
using mortise::testing::Dict;
using mortise::testing::FakeHost;
using nlohmann::json;

// What a checkpoint of this replay holds: where the run stood, and the plugin's state.
struct Saved {
  uint64_t epoch = 0;
  uint64_t global_step = 0;
  std::unique_ptr<Dict> state;
};

class Replay {
 public:
  explicit Replay(const json& recorded) : recorded_(recorded) {
    for (const auto& file : recorded["existing_files"]) std::ofstream(folder_.path() / file.get<std::string>()) << "x";
    new_plugin();
  }

  void run() {
    if (!recorded_["expected_error"].is_null()) return expect_refused();
    for (const json& fit : recorded_["fits"]) {
      if (&fit != &recorded_["fits"].front() && fit["callback"] == "new") new_plugin();
      ASSERT_EQ(created_, MORTISE_OK) << host_->error;
      run_fit(fit);
    }
  }

 private:
  void expect_refused() { EXPECT_TRUE(created_ != MORTISE_OK || !options_are_allowed()); }

  // What the host checks before it makes an instance.
  bool options_are_allowed() const {
    const json& options = recorded_["options"];
    if (options["mode"] != "min" && options["mode"] != "max") return false;
    for (const char* key : {"every_n_train_steps", "every_n_epochs"}) {
      if (!options[key].is_null() && options[key] < 0) return false;
    }
    return options["save_top_k"] >= -1;
  }

  void new_plugin() {
    host_ = std::make_unique<FakeHost>(MORTISE_ENTRY);
    for (const auto& [key, value] : recorded_["options"].items()) {
      if (!value.is_null()) host_->options[key] = value.is_string() ? value.get<std::string>() : value.dump();
    }
    host_->options["dirpath"] = folder_.path().string();
    host_->save = [this](const std::string& path, uint32_t) { return write(path); };
    created_ = host_->create();
  }

  mortise_status_t write(const std::string& path) {
    fs::create_directories(fs::path(path).parent_path());
    fs::remove(path);
    std::ofstream(path) << "checkpoint";
    Saved& saved = saved_[path];
    saves_.insert(moment_ + " " + std::to_string(host_->run.current_epoch) + " " +
                  std::to_string(host_->run.global_step) + " " + relative(path));
    saved = {host_->run.current_epoch, host_->run.global_step, std::make_unique<Dict>()};
    return host_->save_state(*saved.state);
  }

  // --- the trainer ---
  void run_fit(const json& fit) {
    trainer_ = &fit["trainer"];
    fit_ = &fit;
    failed_ = false;
    seen_epochs_ = 0;
    next_.clear();
    saves_.clear();
    host_->metrics.clear();
    host_->resumed_from.clear();
    uint64_t first_epoch = start_at(fit["resume_from"]);
    raise("setup", &mortise_events_t::setup);
    if (!fit["resume_from"].is_null()) host_->load_state(*saved_.at(host_->resumed_from).state);
    raise("on_train_start", &mortise_events_t::on_train_start);
    const bool trial = (*trainer_)["fast_dev_run"] != false;
    const auto max_epochs = trial ? 1 : (*trainer_)["max_epochs"].get<uint64_t>();
    for (uint64_t epoch = first_epoch; epoch < max_epochs && !failed_ && !at_max_steps(); ++epoch) run_epoch(epoch);
    finish_fit(fit["expected"]);
  }

  uint64_t start_at(const json& resume_from) {
    const bool trial = (*trainer_)["fast_dev_run"] != false;
    mortise_run_info_t& info = host_->run;
    info = {};
    info.fast_dev_run = trial;
    const json& interval = (*trainer_)["val_check_interval"];
    const json& trial_batches = (*trainer_)["fast_dev_run"];
    info.train_batches = (trial_batches.is_number() ? trial_batches : (*trainer_)["train_batches"]).get<uint64_t>();
    if (trial_batches == true) info.train_batches = 1;
    info.val_batches = (*trainer_)["limit_val_batches"] == 0 ? 0 : 1;
    info.val_check_interval = interval;
    info.val_check_is_fraction = interval.is_number_float();
    const json& every = (*trainer_)["check_val_every_n_epoch"];
    info.check_val_every_n_epoch = every.is_null() ? 0 : every.get<int64_t>();
    if (resume_from.is_null()) return 0;
    host_->resumed_from = (folder_.path() / resume_from.get<std::string>()).string();
    const Saved& saved = saved_.at(host_->resumed_from);
    info.global_step = saved.global_step;
    info.current_epoch = saved.epoch + 1;
    return info.current_epoch;
  }

  bool at_max_steps() const {
    const int64_t most = (*trainer_)["max_steps"];
    return most >= 0 && host_->run.global_step >= static_cast<uint64_t>(most);
  }

  void run_epoch(uint64_t epoch) {
    mortise_run_info_t& info = host_->run;
    info.current_epoch = epoch;
    const auto window = (*trainer_)["accumulate_grad_batches"].get<uint64_t>();
    for (uint64_t batch = 0; batch < info.train_batches && !failed_; ++batch) {
      if (must_raise(epoch, batch)) return fail("raised");
      const bool last = batch + 1 == info.train_batches;
      log("train_step");
      if ((batch + 1) % window == 0 || last) ++info.global_step;
      raise("on_train_batch_end", &mortise_events_t::on_train_batch_end, batch, last);
      if (validates_after(epoch, batch)) validate();
      if (at_max_steps()) break;
    }
    if (failed_) return;
    log("train_epoch_end");
    raise("on_train_epoch_end", &mortise_events_t::on_train_epoch_end);
    if (!failed_) compare_epoch(epoch);
    info.current_epoch = epoch + 1;
  }

  bool must_raise(uint64_t epoch, uint64_t batch) const {
    const json& at = (*fit_)["raise_at"];
    return !at.is_null() && at["epoch"] == epoch && at["batch"] == batch;
  }

  bool validates_after(uint64_t epoch, uint64_t batch) const {
    const mortise_run_info_t& info = host_->run;
    if (info.val_batches == 0) return false;
    if (info.check_val_every_n_epoch > 0 && (epoch + 1) % static_cast<uint64_t>(info.check_val_every_n_epoch) != 0) {
      return false;
    }
    const double batches = info.val_check_interval * (info.val_check_is_fraction ? double(info.train_batches) : 1.0);
    const auto every = std::max<uint64_t>(1, static_cast<uint64_t>(batches));
    return (batch + 1) % every == 0;
  }

  void validate() {
    log("validation");
    ++host_->run.validations;
    raise("on_validation_end", &mortise_events_t::on_validation_end, 0, false, MORTISE_STAGE_VALIDATE);
  }

  void log(const std::string& where) {
    for (const auto& [name, metric] : (*fit_)["metrics"].items()) {
      if (metric["logged_in"] != where) continue;
      const json& value = metric["values"].at(next_[name]++);
      if (!value.is_null()) host_->metrics[name] = {static_cast<float>(vector_number(value)), true};
    }
  }

  void raise(const char* moment, mortise_event_fn_t mortise_events_t::*slot, uint64_t batch = 0, bool last = false,
             mortise_stage_t stage = MORTISE_STAGE_TRAIN) {
    moment_ = moment;
    mortise_event_t event{};
    event.function = MORTISE_STAGE_TRAIN;
    event.stage = stage;
    event.epoch = host_->run.current_epoch;
    event.global_step = host_->run.global_step;
    event.batch_idx = batch;
    event.is_last_batch = last;
    if (host_->raise(slot, event) != MORTISE_OK) fail("missing_metric");
  }

  void fail(const std::string& category) {
    failed_ = true;
    EXPECT_EQ((*fit_)["expected"]["error"], category) << host_->error;
    moment_ = "on_exception";
    host_->raise_exception(category);
  }

  void finish_fit(const json& expected) {
    if (!failed_) {
      EXPECT_TRUE(expected["error"].is_null());
      raise("on_train_end", &mortise_events_t::on_train_end);
    }
    raise("teardown", &mortise_events_t::teardown);
    if (recorded_.contains("defect") || expected["error"] == "missing_metric") return;
    EXPECT_EQ(host_->run.global_step, expected["global_step"].get<uint64_t>()) << "the replay's own loop is wrong";
    SCOPED_TRACE("after the fit");
    compare(expected["after_fit"]);
    compare_contents(expected["contents"]);
    compare_saves(expected["operations"]);
  }

  // --- what is compared ---
  void compare_epoch(uint64_t epoch) {
    const json& snapshots = (*fit_)["expected"]["after_epoch"];
    if (recorded_.contains("defect")) return;
    SCOPED_TRACE("after epoch " + std::to_string(epoch));
    ASSERT_LT(seen_epochs_, snapshots.size());
    compare(snapshots[seen_epochs_++]);
  }

  // A path relative to the folder; where a metric is in it without a format, its number as a float32.
  std::string relative(const std::string& path) const {
    if (path.empty()) return "";
    std::string text = fs::path(path).is_absolute() ? fs::path(path).lexically_relative(folder_.path()).string() : path;
    if (!recorded_.value("float_text", false)) return text;
    static const std::regex number("[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?");
    std::string out;
    auto at = text.cbegin();
    for (std::sregex_iterator match(text.cbegin(), text.cend(), number); match != std::sregex_iterator(); ++match) {
      out.append(at, (*match)[0].first);
      out += std::to_string(std::strtof(match->str().c_str(), nullptr));
      at = (*match)[0].second;
    }
    return out.append(at, text.cend());
  }

  void compare(const json& snapshot) {
    std::set<std::string> files, recorded_files;
    std::map<std::string, std::string> links, recorded_links;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.is_directory() && !entry.is_symlink()) continue;
      files.insert(relative(entry.path().string()));
      if (entry.is_symlink()) links[relative(entry.path().string())] = fs::read_symlink(entry.path()).string();
    }
    for (const auto& file : snapshot["files"]) recorded_files.insert(relative(file));
    for (const auto& [link, target] : snapshot["links"].items()) recorded_links[relative(link)] = target;
    EXPECT_EQ(files, recorded_files);
    EXPECT_EQ(links, recorded_links);
    compare_state(snapshot);
  }

  void compare_state(const json& snapshot) {
    Dict state;
    ASSERT_EQ(host_->save_state(state), MORTISE_OK);
    for (const char* key : {"best_model_path", "last_model_path", "kth_best_model_path"}) {
      if (!snapshot.contains(key)) continue;
      EXPECT_EQ(relative(std::get<std::string>(*state.find(key))), relative(snapshot[key])) << key;
    }
    for (const char* key : {"best_model_score", "current_score", "kth_value"}) {
      if (!snapshot.contains(key)) continue;
      const auto* score = std::get_if<double>(state.find(key));
      ASSERT_EQ(score == nullptr, snapshot[key].is_null()) << key;
      if (score == nullptr) continue;
      EXPECT_EQ(static_cast<float>(*score), static_cast<float>(vector_number(snapshot[key]))) << key;
    }
    std::map<std::string, float> kept, recorded_kept;
    for (const auto& [path, score] : std::get<std::unique_ptr<Dict>>(*state.find("best_k_models"))->items) {
      kept[relative(path)] = static_cast<float>(std::get<double>(score));
    }
    for (const json& pair : snapshot["best_k_models"]) {
      recorded_kept[relative(pair[0])] = static_cast<float>(vector_number(pair[1]));
    }
    EXPECT_EQ(kept, recorded_kept);
  }

  void compare_contents(const json& contents) {
    std::map<std::string, const Saved*> by_name;
    for (const auto& [path, saved] : saved_) by_name[relative(path)] = &saved;
    for (const auto& [file, recorded] : contents.items()) {
      const fs::path path = folder_.path() / file;
      const std::string real = fs::is_symlink(path) ? fs::read_symlink(path).string() : file;
      ASSERT_TRUE(by_name.count(relative(real))) << file;
      EXPECT_EQ(by_name[relative(real)]->epoch, recorded["epoch"].get<uint64_t>()) << file;
      EXPECT_EQ(by_name[relative(real)]->global_step, recorded["global_step"].get<uint64_t>()) << file;
    }
  }

  // When each file was written. What was removed and linked shows in the folder.
  void compare_saves(const json& operations) {
    std::set<std::string> recorded;
    for (const json& one : operations) {
      if (one["op"] != "save") continue;
      recorded.insert(one["hook"].get<std::string>() + " " + one["epoch"].dump() + " " + one["global_step"].dump() +
                      " " + relative(one["file"]));
    }
    EXPECT_EQ(saves_, recorded);
  }

  const json& recorded_;
  TemporaryFolder folder_;
  std::map<std::string, Saved> saved_;  // by path; also of files that are gone
  std::unique_ptr<FakeHost> host_;
  mortise_status_t created_ = MORTISE_OK;
  const json* trainer_ = nullptr;
  const json* fit_ = nullptr;
  std::map<std::string, size_t> next_;  // of each metric's values
  size_t seen_epochs_ = 0;
  std::string moment_;           // the event that is being raised
  std::set<std::string> saves_;  // moment, epoch, step and file
  bool failed_ = false;
};

TEST(CheckpointReplay, KeepsTheFilesThatTheReferenceKept) {
  for (const json& recorded : mortise::support::load_vectors("training/model_checkpoint.json")["cases"]) {
    SCOPED_TRACE(recorded["name"].get<std::string>());
    Replay(recorded).run();
  }
}

}  // namespace
}  // namespace checkpoint
