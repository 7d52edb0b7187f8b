// Saves checkpoints when they are due, keeps the best and the last, removes the others. When, under which name and
// which are kept stands in schedule.h, filename.h and ranking.h.
#include <mortise/cpp/plugin.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "folder.h"
#include "ranking.h"
#include "settings.h"
#include "state.h"

namespace checkpoint {

class Checkpoint : public mortise::Callback {
 public:
  static constexpr auto& kOptions = checkpoint::kOptions;

  explicit Checkpoint(mortise::Host host)
      : Callback(host), settings_(read_settings(options())), top_(settings_.save_top_k, settings_.larger_is_better) {
    set_state_key(state_key(settings_));
  }

  void setup(const mortise::Event& event) {
    in_fit_ = event.in_fit();
    if (!in_fit_) return;
    trial_ = run().info().fast_dev_run != 0;
    saved_step_ = 0;
    postponed_ = validated_ = false;
    find_folder();
    if (!trial_ && settings_.save_top_k != 0 && !folder_.is_empty()) {
      log().warning("{} is not empty: files that are there are left alone", folder_.path());
    }
  }
  void teardown() { in_fit_ = false; }

  void on_sanity_check_start() { in_sanity_check_ = true; }
  void on_sanity_check_end() { in_sanity_check_ = false; }

  void on_train_start() {
    const mortise::RunInfo info = run().info();
    cadence_ = {.interval = info.val_check_interval,
                .is_fraction = info.val_check_is_fraction != 0,
                .every_n_epochs = info.check_val_every_n_epoch,
                .train_batches = info.train_batches,
                .val_batches = info.val_batches};
    at_epoch_end_ = settings_.at_epoch_end.value_or(saves_at_epoch_end(cadence_));
    checked_ = std::chrono::steady_clock::now();
  }

  void on_train_batch_end(const mortise::Event& event) {
    if (!settings_.triggers.in_epoch() || skips(event)) return;
    if (!settings_.triggers.steps_due(event.global_step) && !time_is_up()) return;
    if (must_wait_for_validation(event)) {
      postponed_ = true;
    } else {
      save(event);
    }
  }

  void on_train_epoch_end(const mortise::Event& event) {
    if (at_epoch_end_ && !skips(event) && settings_.triggers.epochs_due(event.epoch)) save(event);
  }

  void on_validation_end(const mortise::Event& event) {
    if (!event.in_fit() || event.in_sanity_check()) return;
    const bool postponed = std::exchange(postponed_, false);
    if (skips(event)) return;
    validated_ = true;
    if (postponed) {
      ranks_by_validation_ = ranks_by_validation_ || (missed_ && score(event));
      save(event);
    } else if (!at_epoch_end_ && settings_.triggers.epochs_due(event.epoch)) {
      save(event);
    }
  }

  // A run that never saved leaves `last`, so that it can be continued.
  void on_train_end(const mortise::Event& event) {
    if (trial_ || !newest_.empty() || event.global_step == 0) return;
    save_last(event);
    finish();
  }

  void on_exception() {
    if (!settings_.on_exception || !in_fit_ || trial_ || in_sanity_check_) return;
    const mortise::RunInfo info = run().info();
    mortise_event_t now{};
    now.struct_size = sizeof now;
    now.epoch = info.current_epoch;
    now.global_step = info.global_step;
    const mortise::Event event(now);
    if (event.global_step == 0 || event.global_step == saved_step_) return;
    // Not ranked, and no counter; yet no file that is kept is overwritten.
    write(folder_.choose(name(event), [&](const std::string& path) { return !top_.holds(path); }), event);
    save_last(event);
    finish();
  }

  void state_save(mortise::StateDict state) {
    find_folder();
    save_ranking(top_.ranking(), settings_.monitor, folder_.path(), state);
  }

  void state_load(mortise::StateDict state) {
    find_folder();
    if (!load_ranking(top_.ranking(), folder_.path(), state)) {
      log().warning("the checkpoint is from another folder than {}: only its best path is taken over", folder_.path());
    }
  }

 private:
  void find_folder() {
    if (!folder_.path().empty()) return;
    const fs::path given = settings_.dirpath;
    folder_ = Folder(given.empty() ? fs::path(run().directory()) / "checkpoints" : given);
  }

  // Never in a trial run or the sanity check, before the first step, or twice at one step.
  bool skips(const mortise::Event& event) const {
    return trial_ || in_sanity_check_ || event.global_step == 0 || event.global_step == saved_step_;
  }

  bool time_is_up() {
    if (!settings_.triggers.interval_s) return false;
    const auto now = std::chrono::steady_clock::now();
    if (std::chrono::duration<double>(now - checked_).count() < *settings_.triggers.interval_s) return false;
    checked_ = now;
    return true;
  }

  // Saving now would rank the weights by no value at all, or by that of the validation before.
  bool must_wait_for_validation(const mortise::Event& event) {
    if (settings_.monitor.empty() || settings_.save_top_k == 0) return false;
    if (!score(event)) return missed_ = true;
    if (!validation_follows(cadence_, event.epoch, event.batch_idx)) return false;
    return ranks_by_validation_ || (event.is_last_batch != 0 && !at_epoch_end_);
  }

  // A metric, or a counter of that name.
  std::optional<NameValue> value_of(std::string_view name, const mortise::Event& event) const {
    const bool is_epoch = name == "epoch", is_counter = is_epoch || name == "step";
    if (const auto metric = metrics().find(name)) {
      const double value = metric->is_float32 ? static_cast<float>(metric->value) : metric->value;
      if (is_counter && std::isfinite(value)) return NameValue{std::trunc(value), true};
      return NameValue{value, false};
    }
    if (!is_counter) return std::nullopt;
    return NameValue{static_cast<double>(is_epoch ? event.epoch : event.global_step), true};
  }
  std::optional<double> score(const mortise::Event& event) const {
    const auto value = value_of(settings_.monitor, event);
    return value ? std::optional(value->value) : std::nullopt;
  }

  std::string name(const mortise::Event& event) {
    std::vector<std::string> unknown;
    std::string text =
        settings_.filename.render([&](std::string_view placeholder) { return value_of(placeholder, event); }, unknown);
    for (const std::string& missing : unknown) {
      if (!std::exchange(warned_of_name_, true))
        log().warning("filename: there is no metric {}; it is written as nan", missing);
    }
    return text;
  }

  // A path that overwrites nothing but the file that is about to leave. Without the counter foreign files are
  // overwritten, but never one that is kept.
  std::string choose(const mortise::Event& event, const std::string& leaving) {
    return folder_.choose(name(event), [&](const std::string& path) {
      return path == leaving || !(settings_.version_counter ? Folder::exists(path) : top_.holds(path));
    });
  }

  // One moment: the new file, `last`, and only then the removals.
  void save(const mortise::Event& event) {
    if (settings_.save_top_k == 0) return;
    const Ranking before = top_.ranking();
    try {
      const bool saved = settings_.monitor.empty() ? save_newest(event) : save_ranked(event);
      if (!saved) return;
      save_last(event);
    } catch (...) {
      top_.ranking() = before;  // the files that it names are still there
      leaving_.clear();
      throw;
    }
    finish();
  }

  bool save_newest(const mortise::Event& event) {
    std::string& newest = top_.ranking().best_path;
    const std::string leaving = settings_.save_top_k == 1 ? newest : std::string();
    newest = choose(event, leaving);
    write(newest, event);
    leave(leaving, newest);
    return true;
  }

  bool save_ranked(const mortise::Event& event) {
    const auto value = score(event);
    if (!value) return report_missing();
    if (!top_.admits(*value)) {
      if (settings_.verbose) {
        log().info("{} = {} is not among the best {}", settings_.monitor, *value, settings_.save_top_k);
      }
      return false;
    }
    const std::string leaving = top_.make_room().value_or("");
    const std::string path = choose(event, leaving);
    top_.insert(path, *value);
    write(path, event);
    leave(leaving, path);
    return true;
  }

  bool report_missing() {
    const std::string& monitor = settings_.monitor;
    if (validated_ || run().info().validations > 0) metrics().get(monitor);  // throws, and lists the names there are
    if (!std::exchange(warned_of_monitor_, true))
      log().warning("{} was not logged yet: no checkpoint is saved", monitor);
    return false;
  }

  void save_last(const mortise::Event& event) {
    if (settings_.save_last == SaveLast::kNo) return;
    std::string& last = top_.ranking().last_path;
    const std::string previous = last;
    last = folder_.choose("last", [&](const std::string& path) {
      return path == previous || !settings_.version_counter || !Folder::exists(path);
    });
    if (settings_.save_last == SaveLast::kFile || newest_.empty()) {
      write_file(last);
    } else if (!Folder::leads_to(last, newest_)) {
      Folder::link(newest_, last);
    }
    saved_step_ = event.global_step;
    leave(previous, last);
  }

  void write(const std::string& path, const mortise::Event& event) {
    write_file(path);
    newest_ = path;
    saved_step_ = event.global_step;
    if (settings_.verbose) log().info("epoch {}, step {}: saved {}", event.epoch, event.global_step, path);
  }
  void write_file(const std::string& path) {
    checkpoints().save(path, settings_.weights_only ? MORTISE_CHECKPOINT_WEIGHTS_ONLY : 0);
  }

  void leave(const std::string& old, const std::string& replacement) {
    if (!old.empty() && old != replacement) leaving_.push_back(old);
  }

  // The new files are durable: old ones may go. One that cannot be removed is no reason to end a run.
  void finish() {
    for (const std::string& path : std::exchange(leaving_, {})) {
      try {
        folder_.remove(path, checkpoints().resumed_from());
      } catch (const fs::filesystem_error& failure) {
        log().warning("an old checkpoint stays: {}", failure.what());
      }
    }
    checkpoints().announce(top_.ranking().best_path, top_.ranking().last_path);
  }

  const Settings settings_;
  TopK top_;
  Folder folder_;
  std::string newest_;                // the file saved last; empty: none in this instance's life
  std::vector<std::string> leaving_;  // to be removed at the end of this moment

  // Of the running fit.
  Cadence cadence_;
  bool in_fit_ = false, in_sanity_check_ = false, trial_ = false;
  bool at_epoch_end_ = true;
  bool validated_ = false;
  uint64_t saved_step_ = 0;                        // of the newest save
  std::chrono::steady_clock::time_point checked_;  // train_time_interval counts from here
  bool postponed_ = false;                         // a save waits for the next validation's end
  bool missed_ = false;                            // a batch's end found no monitored value
  bool ranks_by_validation_ = false;               // the monitored value comes from validations
  bool warned_of_monitor_ = false, warned_of_name_ = false;
};

}  // namespace checkpoint

MORTISE_PLUGIN(checkpoint::Checkpoint, "checkpoint", "1.0.0", "Saves checkpoints and keeps the best and the last",
               MORTISE_PLUGIN_MONITORING | MORTISE_PLUGIN_CHECKPOINTING)
