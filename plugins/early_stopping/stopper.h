// The decision of early stopping: whether a metric's newest value ends the training. Knows no host.
#pragma once

#include <mortise/cpp/text.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace early_stopping {

// Why training was stopped. The numbers are stored in checkpoints: never renumber.
enum class Reason {
  kNotStopped = 0,
  kStoppingThreshold = 1,
  kDivergenceThreshold = 2,
  kPatienceExhausted = 3,
  kNonFinite = 4,
};

struct Settings {
  std::string monitor;  // only for messages
  bool larger_is_better = false;
  double min_delta = 0;  // in the metric's unit; an improvement has to exceed it
  int64_t patience = 3;  // checks without improvement; 0 acts as 1
  bool check_finite = true;
  std::optional<double> stopping_threshold = {};    // better than this is good enough
  std::optional<double> divergence_threshold = {};  // worse than this is hopeless
};

// What is kept from check to check, and in a checkpoint.
struct State {
  int64_t wait_count = 0;     // checks since the last improvement
  int64_t stopped_epoch = 0;  // of the last check that said stop; 0: none
  double best_score = 0;
  int64_t patience = 0;  // a loaded one overrides the setting
  Reason reason = Reason::kNotStopped;
  std::optional<std::string> message;  // of the reason
};

// What one check found.
struct Verdict {
  bool stop = false;
  bool improved = false;
  std::string message;  // empty if it neither stops nor improves
};

// Compares in the precision in which the metric was logged: limits are rounded to it first, as torch does. A double
// limit of 0.1 would otherwise be larger than a float metric of 0.1.
class Stopper {
 public:
  explicit Stopper(Settings settings) : settings_(std::move(settings)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    state_.best_score = settings_.larger_is_better ? -kInfinity : kInfinity;
    state_.patience = settings_.patience;
  }

  // Decides on a value of the given epoch and remembers the outcome.
  //   is_float32  the metric was logged in float32, else in float64
  Verdict check(double value, bool is_float32, int64_t epoch) {
    Verdict verdict = is_float32 ? decide(static_cast<float>(value)) : decide(value);
    if (verdict.stop) {
      state_.stopped_epoch = epoch;
      state_.message = verdict.message;
    }
    return verdict;
  }

  const Settings& settings() const { return settings_; }
  const State& state() const { return state_; }
  void restore(State state) { state_ = std::move(state); }

 private:
  template <class T>
  bool better(T a, T b) const {
    return settings_.larger_is_better ? a > b : a < b;
  }
  const char* sign(bool is_better) const { return is_better == settings_.larger_is_better ? ">" : "<"; }

  template <class T>
  Verdict decide(T value) {
    const std::string& monitor = settings_.monitor;
    if (settings_.check_finite && !std::isfinite(value)) {
      return stop(Reason::kNonFinite, mortise::format("{} = {} is not finite; the best value before it was {:.3f}",
                                                      monitor, double{value}, state_.best_score));
    }
    if (const auto limit = settings_.stopping_threshold; limit && better(value, static_cast<T>(*limit))) {
      return stop(Reason::kStoppingThreshold, mortise::format("{} has reached the stopping threshold: {} {} {}",
                                                              monitor, double{value}, sign(true), *limit));
    }
    if (const auto limit = settings_.divergence_threshold; limit && better(static_cast<T>(*limit), value)) {
      return stop(Reason::kDivergenceThreshold, mortise::format("{} is worse than the divergence threshold: {} {} {}",
                                                                monitor, double{value}, sign(false), *limit));
    }
    const T delta = static_cast<T>(settings_.min_delta);
    const T handicapped = settings_.larger_is_better ? value - delta : value + delta;
    if (better(double{handicapped}, state_.best_score)) return improve(value);
    return wait();
  }

  Verdict stop(Reason reason, std::string message) {
    state_.reason = reason;
    return {.stop = true, .improved = false, .message = std::move(message)};
  }

  Verdict improve(double value) {
    std::string message =
        std::isfinite(state_.best_score)
            ? mortise::format("{} improved by {:.3f} >= min_delta {}; the best value is now {:.3f}", settings_.monitor,
                              std::abs(state_.best_score - value), settings_.min_delta, value)
            : mortise::format("{} improved; the best value is now {:.3f}", settings_.monitor, value);
    state_.best_score = value;
    state_.wait_count = 0;
    return {.stop = false, .improved = true, .message = std::move(message)};
  }

  Verdict wait() {
    ++state_.wait_count;
    if (state_.wait_count < state_.patience) return {};
    return stop(Reason::kPatienceExhausted,
                mortise::format("{} did not improve in the last {} checks; the best value is {:.3f}", settings_.monitor,
                                state_.wait_count, state_.best_score));
  }

  Settings settings_;
  State state_;
};

}  // namespace early_stopping
