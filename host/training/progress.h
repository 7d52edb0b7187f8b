// How far the loops have come, counted as Lightning counts, and its layout in a checkpoint.
#pragma once

#include <cstdint>

#include "host/core/status.h"
#include "host/training/state_value.h"

namespace mortise::training {

struct Count {
  int64_t ready = 0, started = 0, processed = 0, completed = 0;
};

// Over the life of the trainer, and in this epoch or run.
struct Progress {
  Count total, current;

  void add(int64_t Count::*field) {
    ++(total.*field);
    ++(current.*field);
  }
};

struct BatchProgress : Progress {
  bool is_last = false;
};

// epoch.current.processed: epochs whose training is over; completed: whose end was told, too. Likewise batches.
struct FitProgress {
  Progress epoch;
  BatchProgress batch;
  Progress optimizer_step;  // ready, completed
  Progress zero_grad;       // ready, started, completed
  int64_t batches_that_stepped = 0;
  BatchProgress validation_batch;

  int64_t global_step() const { return optimizer_step.total.completed; }
};

struct RunProgress {
  FitProgress fit;
  BatchProgress validate, test, predict;
};

// "fit_loop", "validate_loop", "test_loop", "predict_loop".
StateMap to_state(const RunProgress& progress);

// Counters that a file lacks stay 0.
//   errors  kData: loops without "fit_loop"
Result<RunProgress> progress_from(const StateMap& loops);

}  // namespace mortise::training
