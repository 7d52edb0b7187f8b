// What the parts of a trainer share: its options and counters, and the run in progress.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/training/callback_list.h"
#include "host/training/precision.h"
#include "host/training/progress.h"
#include "host/training/trainer.h"

namespace mortise::training {

// The batch that an event is about.
struct BatchAt {
  const Batch* batch = nullptr;
  int64_t index = 0;
  bool is_last = false;
  const at::Tensor* loss = nullptr;
};

struct Run {
  Run(Trainer& of, TrainerOptions resolved, TrainerServices given);

  Trainer& trainer;
  TrainerOptions options;
  TrainerServices services;
  CallbackList callbacks;
  Metrics metrics;
  RunProgress progress;

  // The run in progress; task is null outside one.
  Task* task = nullptr;
  at::Device device = at::kCPU;
  Stage function = Stage::kTrain;
  Stage stage = Stage::kTrain;
  std::unique_ptr<Optimizer> optimizer;
  std::optional<MixedPrecision> precision;
  int64_t train_batches = 0, val_batches = 0;  // under limits; -1: unknown
  int64_t validations = 0;
  bool should_stop = false;
  std::string resumed_from;
  bool saving = false;  // a checkpoint, with all that is told of it

  int64_t current_epoch() const { return progress.fit.epoch.current.completed; }
  int64_t global_step() const { return progress.fit.global_step(); }
  Moment moment(Event event, const BatchAt& at = {}) const;

  // Tells an event to those who want it. An event that nobody wants costs this comparison.
  Status tell(Event event, const BatchAt& at = {}) {
    return callbacks.wanted(event) ? callbacks.tell(moment(event, at), trainer) : Status();
  }

  // After each batch and each epoch: lets callbacks go that fell outside an event.
  //   errors  kInterrupted if the flag is set
  Status between_batches();

  // A whole function: setup, the body, on_exception where it failed, and in any case teardown. What is thrown inside
  // becomes a Status here.
  Status execute(Stage which, Task& what, const std::function<Status()>& body);

 private:
  Status finish(Status outcome);
};

}  // namespace mortise::training
