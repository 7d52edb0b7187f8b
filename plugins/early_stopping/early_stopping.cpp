// Ends training when a metric has not improved for a while. The decision is in stopper.h.
#include <mortise/cpp/plugin.hpp>

#include "stopper.h"

namespace early_stopping {
namespace {

Settings read_settings(const mortise::Options& options) {
  Settings settings;
  settings.monitor = options.get<std::string_view>("monitor");
  settings.larger_is_better = options.get<std::string_view>("mode") == "max";
  settings.min_delta = options.get<double>("min_delta");
  settings.patience = options.get<int64_t>("patience");
  settings.check_finite = options.get<bool>("check_finite");
  settings.stopping_threshold = options.find<double>("stopping_threshold");
  settings.divergence_threshold = options.find<double>("divergence_threshold");
  return settings;
}

}  // namespace

class EarlyStopping : public mortise::Callback {
 public:
  static constexpr mortise::Option kOptions[] = {
      mortise::text_option("monitor", "Name of the metric to watch").required(),
      mortise::double_option("min_delta", "A change has to exceed this to count as an improvement")
          .initially("0.0")
          .at_least(0)
          .in("the metric's"),
      mortise::int_option("patience", "Checks without improvement before training stops; 0 acts as 1")
          .initially("3")
          .at_least(0)
          .in("checks"),
      mortise::enum_option("mode", "min,max", "Whether smaller or larger values are better").initially("min"),
      mortise::bool_option("strict", "Fail if the metric was not logged; else such a check is skipped")
          .initially("true"),
      mortise::bool_option("check_finite", "Stop if the metric is NaN or infinite").initially("true"),
      mortise::double_option("stopping_threshold", "Stop as soon as the metric is better than this").in("the metric's"),
      mortise::double_option("divergence_threshold", "Stop as soon as the metric is worse than this")
          .in("the metric's"),
      mortise::bool_option(
          "check_on_train_epoch_end",
          "Check when a training epoch ends, else when a validation ends; unset: when the epoch ends if "
          "validation runs exactly once an epoch"),
      mortise::bool_option("verbose", "Log improvements and skipped checks").initially("false"),
  };

  explicit EarlyStopping(mortise::Host host)
      : Callback(host),
        stopper_(read_settings(options())),
        strict_(options().get<bool>("strict")),
        verbose_(options().get<bool>("verbose")),
        at_epoch_end_(options().find<bool>("check_on_train_epoch_end")) {
    const Settings& settings = stopper_.settings();
    set_state_key(mortise::format("EarlyStopping{{'monitor': '{}', 'mode': '{}'}}", settings.monitor,
                                  settings.larger_is_better ? "max" : "min"));
  }

  // The place of the check is decided in the first fit and kept.
  void on_train_start() {
    const mortise::RunInfo info = run().info();
    trial_ = info.fast_dev_run != 0;
    if (!at_epoch_end_) {
      at_epoch_end_ =
          info.val_check_is_fraction != 0 && info.val_check_interval == 1.0 && info.check_val_every_n_epoch == 1;
    }
  }

  void on_train_epoch_end(const mortise::Event& event) {
    if (!trial_ && *at_epoch_end_) check(event);
  }

  void on_validation_end(const mortise::Event& event) {
    if (event.in_fit() && !event.in_sanity_check() && !trial_ && !*at_epoch_end_) check(event);
  }

  void state_save(mortise::StateDict state) {
    const State& now = stopper_.state();
    state.put("wait_count", now.wait_count);
    state.put("stopped_epoch", now.stopped_epoch);
    state.put_scalar("best_score", now.best_score);
    state.put("patience", now.patience);
    state.put("stopping_reason", static_cast<int64_t>(now.reason));
    state.put("stopping_reason_message", now.message ? mortise::Value(*now.message) : mortise::Value());
  }

  void state_load(mortise::StateDict state) {
    State then;
    then.wait_count = state.get("wait_count").as<int64_t>();
    then.stopped_epoch = state.get("stopped_epoch").as<int64_t>();
    then.best_score = state.get("best_score").as<double>();
    then.patience = state.get("patience").as<int64_t>();
    // Files of older versions have no reason.
    if (const auto reason = state.find("stopping_reason"); reason.is_int()) {
      then.reason = static_cast<Reason>(reason.as<int64_t>());
    }
    if (const auto message = state.find("stopping_reason_message"); message.is_text()) {
      then.message = message.as<std::string_view>();
    }
    stopper_.restore(std::move(then));
  }

 private:
  void check(const mortise::Event& event) {
    const std::string& monitor = stopper_.settings().monitor;
    const auto metric = strict_ ? std::optional(metrics().get(monitor)) : metrics().find(monitor);
    if (!metric) {
      if (verbose_) log().warning("{} was not logged: this check is skipped", monitor);
      return;
    }
    const Verdict verdict = stopper_.check(metric->value, metric->is_float32, static_cast<int64_t>(event.epoch));
    if (verdict.stop) {
      run().request_stop(verdict.message);
    } else if (verdict.improved && verbose_) {
      log().info("{}", verdict.message);
    }
  }

  Stopper stopper_;
  const bool strict_;
  const bool verbose_;
  std::optional<bool> at_epoch_end_;
  bool trial_ = false;  // fast_dev_run: nothing is checked
};

}  // namespace early_stopping

MORTISE_PLUGIN(early_stopping::EarlyStopping, "early_stopping", "1.0.0", "Stops training when a metric stops improving",
               MORTISE_PLUGIN_MONITORING)
