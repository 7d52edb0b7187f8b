// When a checkpoint is due. Knows no host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace checkpoint {

// At most one of them is on.
struct Triggers {
  int64_t every_n_steps = 0;              // optimiser steps; 0: off
  int64_t every_n_epochs = 0;             // 0: off
  std::optional<double> interval_s = {};  // seconds

  bool steps_due(uint64_t global_step) const {
    return every_n_steps > 0 && global_step % static_cast<uint64_t>(every_n_steps) == 0;
  }
  bool epochs_due(uint64_t epoch) const {
    return every_n_epochs > 0 && (epoch + 1) % static_cast<uint64_t>(every_n_epochs) == 0;
  }
  // Whether batches have to be watched.
  bool in_epoch() const { return every_n_steps > 0 || interval_s.has_value(); }
};

// What the user set, and every epoch if that is nothing.
//   errors  std::invalid_argument if two triggers are on
inline Triggers resolve_triggers(std::optional<int64_t> steps, std::optional<int64_t> epochs,
                                 std::optional<double> interval_s) {
  const bool none = !steps && !epochs && !interval_s;
  const Triggers triggers{steps.value_or(0), epochs.value_or(none ? 1 : 0), interval_s};
  if ((triggers.every_n_steps > 0) + (triggers.every_n_epochs > 0) + interval_s.has_value() > 1) {
    throw std::invalid_argument(
        "every_n_train_steps, every_n_epochs and train_time_interval exclude each other: set one of them");
  }
  return triggers;
}

// When validations run.
struct Cadence {
  double interval = 1;  // a fraction of an epoch, else batches
  bool is_fraction = true;
  int64_t every_n_epochs = 1;  // 0: batches are counted across epochs
  uint64_t train_batches = 0;
  uint64_t val_batches = 0;
};

// Whether an epoch's checkpoint is saved when the training epoch ends, else when a validation ends.
inline bool saves_at_epoch_end(const Cadence& cadence) {
  if (cadence.every_n_epochs != 1) return false;
  return cadence.val_batches == 0 || (cadence.is_fraction && cadence.interval == 1.0);
}

// Whether a validation runs right after this training batch.
inline bool validation_follows(const Cadence& cadence, uint64_t epoch, uint64_t batch_idx) {
  if (cadence.val_batches == 0) return false;
  const double batches =
      cadence.is_fraction ? cadence.interval * static_cast<double>(cadence.train_batches) : cadence.interval;
  const uint64_t every = std::max<uint64_t>(1, static_cast<uint64_t>(batches));
  if (cadence.every_n_epochs == 0) return (epoch * cadence.train_batches + batch_idx + 1) % every == 0;
  return (epoch + 1) % static_cast<uint64_t>(cadence.every_n_epochs) == 0 && (batch_idx + 1) % every == 0;
}

}  // namespace checkpoint
