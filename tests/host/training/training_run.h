// A trainer with fakes around it.
#pragma once

#include <atomic>
#include <memory>

#include "host/training/trainer.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_store.h"
#include "tests/support/numbers.h"
#include "tests/support/recording_callback.h"
#include "tests/support/scripted_run.h"

namespace mortise::support {

inline training::TrainerOptions quick_options(int64_t max_epochs = 1) {
  training::TrainerOptions options;
  options.max_epochs = max_epochs;
  options.num_sanity_val_steps = 0;
  return *training::resolve(options);
}

inline training::OptimizerOptions slow_sgd() {
  training::OptimizerOptions options;
  options.lr = 1e-3;
  return options;
}

// REQUIRES: options resolved
struct TrainingRun {
  explicit TrainingRun(training::TrainerOptions options = quick_options())
      : trainer(std::move(options), {log, clock, &store, &interrupted}) {}

  Status fit(int64_t batches = 2, int64_t val_batches = 1, const std::string& ckpt_path = "") {
    training = std::make_unique<NumberSource>(batches);
    NumberSource validation(val_batches);
    return trainer.fit(task, slow_sgd(), *training, val_batches > 0 ? &validation : nullptr, ckpt_path);
  }

  CollectingLog log;
  FakeClock clock;
  MemoryStore store;
  std::atomic<bool> interrupted{false};
  std::unique_ptr<training::Model> model = one_weight_model();
  NumberTask task{*model};
  std::unique_ptr<NumberSource> training;
  training::Trainer trainer;
};

}  // namespace mortise::support
