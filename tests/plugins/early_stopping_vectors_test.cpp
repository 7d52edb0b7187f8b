// Replays every case of training/early_stopping.json through the trainer and the plugin's shared library.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/app/plugin_list.h"
#include "host/bridge/plugin_set.h"
#include "host/loader/plugin_file.h"
#include "host/training/trainer.h"
#include "tests/support/scripted_run.h"
#include "tests/support/vectors.h"

namespace mortise {
namespace {

using nlohmann::json;

std::string option_text(const json& value) {
  if (value.is_string()) return value;
  return value.dump();
}

bool same(double a, const json& expected, bool single) {
  const double b = support::vector_number(expected);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return single ? static_cast<float>(a) == static_cast<float>(b) : a == b;
}

const char* reason_name(int64_t reason) {
  constexpr const char* kNames[] = {"not_stopped", "stopping_threshold", "divergence_threshold", "patience_exhausted",
                                    "non_finite"};
  return reason >= 0 && reason < 5 ? kNames[reason] : "?";
}

// The plugin's state as it would stand in a checkpoint.
struct State {
  int64_t wait_count = 0, stopped_epoch = 0, reason = 0;
  double best_score = 0;
  std::optional<std::string> message;
  bool operator==(const State& other) const {
    return wait_count == other.wait_count && stopped_epoch == other.stopped_epoch && reason == other.reason &&
           (best_score == other.best_score) && message == other.message;
  }
};

State state_of(training::Callback& plugin, training::Trainer& trainer) {
  training::StateMap map;
  EXPECT_TRUE(plugin.save_state(map, trainer).ok());
  State state;
  state.wait_count = std::get<int64_t>(*map.find("wait_count"));
  state.stopped_epoch = std::get<int64_t>(*map.find("stopped_epoch"));
  state.reason = std::get<int64_t>(*map.find("stopping_reason"));
  state.best_score = *training::find_number(map, "best_score");
  if (const auto* message = std::get_if<std::string>(map.find("stopping_reason_message"))) state.message = *message;
  return state;
}

// Stands after the plugin: compares its state with the recorded check of this moment, or demands that nothing changed.
class CheckProbe : public training::Callback {
 public:
  CheckProbe(training::Callback& plugin, const json& checks, std::string monitor, bool single)
      : plugin_(plugin), checks_(checks), monitor_(std::move(monitor)), single_(single) {}

  const std::string& name() const override { return name_; }
  training::CallbackGroup group() const override { return training::CallbackGroup::kCheckpointing; }
  bool wants(training::Event event) const override {
    return event == training::Event::kTrainEpochEnd || event == training::Event::kValidationEnd ||
           event == training::Event::kSanityCheckStart || event == training::Event::kSanityCheckEnd;
  }
  Status on(const training::Moment& moment, training::Trainer& trainer) override {
    if (moment.event == training::Event::kSanityCheckStart) sanity = true;
    if (moment.event == training::Event::kSanityCheckEnd) sanity = false;
    if (moment.event == training::Event::kTrainEpochEnd || moment.event == training::Event::kValidationEnd)
      compare(moment, trainer);
    return {};
  }

  bool sanity = false;
  size_t seen = 0;

 private:
  void compare(const training::Moment& moment, training::Trainer& trainer) {
    const State now = state_of(plugin_, trainer);
    if (seen < checks_.size() && is_moment(checks_[seen], moment)) {
      const json& check = checks_[seen++];
      SCOPED_TRACE("check " + std::to_string(seen - 1) + ": " + check.dump());
      EXPECT_TRUE(same(trainer.metrics().get(monitor_)->value, check["value"], single_));
      EXPECT_EQ(now.wait_count, check["wait_count"].get<int64_t>());
      EXPECT_TRUE(same(now.best_score, check["best_score"], single_)) << now.best_score;
      EXPECT_EQ(reason_name(now.reason), check["reason"].get<std::string>());
      EXPECT_EQ(trainer.should_stop(), check["trainer_should_stop"].get<bool>());
    } else if (last_) {
      EXPECT_TRUE(now == *last_) << "a check that is not recorded, in " << training::event_name(moment.event)
                                 << " of epoch " << moment.epoch;
    }
    last_ = now;
  }
  static bool is_moment(const json& check, const training::Moment& moment) {
    return moment.stage != training::Stage::kSanityCheck && check["hook"] == training::event_name(moment.event) &&
           check["epoch"] == moment.epoch && check["global_step"] == moment.global_step;
  }

  const std::string name_ = "probe";
  training::Callback& plugin_;
  const json& checks_;
  std::string monitor_;
  bool single_;
  std::optional<State> last_;
};

training::Amount amount(const json& value) {
  if (value.is_number_integer()) return value.get<int64_t>();
  return value.get<double>();
}

std::optional<int64_t> integer(const json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<int64_t>();
}

training::TrainerOptions trainer_options(const json& trainer) {
  training::TrainerOptions options;
  options.accelerator = training::Accelerator::kCpu;
  options.max_epochs = integer(trainer["max_epochs"]);
  options.min_epochs = integer(trainer["min_epochs"]);
  options.max_steps = trainer["max_steps"];
  options.min_steps = integer(trainer["min_steps"]);
  options.limit_val_batches = amount(trainer["limit_val_batches"]);
  options.val_check_interval = amount(trainer["val_check_interval"]);
  options.check_val_every_n_epoch = integer(trainer["check_val_every_n_epoch"]);
  options.num_sanity_val_steps = trainer["num_sanity_val_steps"];
  options.fast_dev_run = trainer["fast_dev_run"].is_boolean() ? trainer["fast_dev_run"].get<bool>()
                                                              : trainer["fast_dev_run"].get<int64_t>();
  return options;
}

class Replay {
 public:
  explicit Replay(const json& one_case) : case_(one_case), environment_{log_, clock_, "."} {}

  void run() {
    const Status loaded = load();
    if (case_["expected_error"] == "configuration") {
      EXPECT_FALSE(loaded.ok());
      return;
    }
    if (!loaded.ok() && case_.contains("may_refuse")) return;
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    for (const json& fit : case_["fits"]) replay(fit);
    for (const ledger::Receipt& receipt : plugins_->unload())
      EXPECT_EQ(receipt.verdict, ledger::Verdict::kClean) << receipt.why_mapped;
  }

 private:
  training::Callback& plugin() { return *plugins_->instances().front(); }

  Status load() {
    const Result<loader::PluginFile> file =
        loader::inspect(MORTISE_BINARY_DIR "/lib/mortise/plugins/early_stopping.so");
    if (!file.ok()) return file.status();
    const Result<bridge::PluginDescription> description = bridge::describe(*file);
    if (!description.ok()) return description.status();
    std::vector<config::Setting> settings;
    for (const bridge::OptionSpec& option : description->options) settings.push_back(app::to_setting(option));
    std::map<std::string, config::Given> given;
    for (const auto& [key, value] : case_["options"].items())
      if (!value.is_null()) given[key] = {option_text(value), "the case", false};
    const Result<config::Values> values = config::Values::make(settings, given, "early_stopping.");
    if (!values.ok()) return values.status();
    Result<bridge::PluginSet> set =
        bridge::PluginSet::load({{*file, "early_stopping", app::option_values(*values)}}, environment_);
    if (!set.ok()) return set.status();
    plugins_.emplace(std::move(*set));
    return {};
  }

  void load_state(training::Trainer& trainer) {
    training::StateMap map;
    for (const auto& [key, value] : case_["load_state"].items()) {
      if (key == "best_score")
        map.set(key, support::vector_number(value));
      else if (value.is_number_integer())
        map.set(key, value.get<int64_t>());
      else if (value.is_string())
        map.set(key, value.get<std::string>());
      else
        map.set(key, std::monostate());
    }
    EXPECT_TRUE(plugin().load_state(map, trainer).ok());
    case_.erase("load_state");  // once, before the first fit
  }

  // The next value of the case under its monitor, where the case logs it.
  void log_next(const json& fit, training::Metrics& metrics, bool sanity) {
    const json value = sanity ? fit["sanity_metric"] : fit["metrics"].at(next_++);
    if (value.is_null()) return;
    const std::string monitor = case_["options"]["monitor"];
    const std::string name = fit.contains("metric_name") ? fit["metric_name"].get<std::string>() : "valid_loss";
    const double number = support::vector_number(value);
    if (fit["metric_dtype"] == "float64")
      metrics.log(name, number, training::MetricPrecision::kFloat64);
    else
      metrics.log(name, static_cast<float>(number), training::MetricPrecision::kFloat32);
  }

  void replay(const json& fit) {
    const Result<training::TrainerOptions> options = training::resolve(trainer_options(fit["trainer"]));
    ASSERT_TRUE(options.ok()) << options.status().message();
    training::Trainer trainer(*options, {log_, clock_});
    plugins_->attach(trainer);
    if (case_.contains("load_state") && !case_["load_state"].is_null()) load_state(trainer);
    const json& expected = fit["expected"];
    const bool single = fit["metric_dtype"] != "float64";
    const bool compared = !case_.contains("defect");
    CheckProbe probe(plugin(), expected["checks"], case_["options"]["monitor"], single);
    if (compared) trainer.add_callback(probe);

    const std::unique_ptr<training::Model> model = support::one_weight_model();
    support::ScriptedTask task(*model);
    next_ = 0;
    const auto log = [&](training::Metrics& metrics) { log_next(fit, metrics, probe.sanity); };
    (fit["logged_in"] == "validation" ? task.at_validation_epoch_end : task.at_train_epoch_end) = log;
    support::CountingSource train(fit["trainer"]["train_batches"]), val(1);
    const Status fitted = trainer.fit(task, {}, train, &val);
    plugins_->detach();
    EXPECT_EQ(fitted.ok(), expected["error"].is_null()) << fitted.message();
    if (!compared || !expected["error"].is_null()) return;
    compare_end(expected, trainer, probe, single);
  }

  void compare_end(const json& expected, training::Trainer& trainer, const CheckProbe& probe, bool single) {
    EXPECT_EQ(probe.seen, expected["checks"].size()) << "checks that did not happen";
    const State end = state_of(plugin(), trainer);
    EXPECT_EQ(end.wait_count, expected["wait_count"].get<int64_t>());
    EXPECT_TRUE(same(end.best_score, expected["best_score"], single)) << end.best_score;
    EXPECT_EQ(end.stopped_epoch, expected["stopped_epoch"].get<int64_t>());
    EXPECT_EQ(end.reason, expected["stopping_reason_value"].get<int64_t>());
    EXPECT_EQ(end.message.has_value(), !expected["stopping_reason_message"].is_null());
    if (end.message) {
      EXPECT_NE(end.message->find(case_["options"]["monitor"]), std::string::npos) << *end.message;
    }
    EXPECT_EQ(trainer.validations(), expected["validations"].get<int64_t>());
    EXPECT_EQ(trainer.current_epoch(), expected["current_epoch"].get<int64_t>());
    EXPECT_EQ(trainer.global_step(), expected["global_step"].get<int64_t>());
  }

  json case_;
  support::CollectingLog log_;
  SteadyClock clock_;
  bridge::Environment environment_;
  std::optional<bridge::PluginSet> plugins_;
  size_t next_ = 0;
};

TEST(EarlyStoppingVectors, EveryCaseDecidesAsRecorded) {
  for (const json& one_case : support::load_vectors("training/early_stopping.json")["cases"]) {
    SCOPED_TRACE(one_case["name"].get<std::string>() + ": " + one_case["note"].get<std::string>());
    Replay(one_case).run();
  }
}

}  // namespace
}  // namespace mortise
