// The frame around every function of the trainer: set-up, body, and an end that is told to all, however it came.
#include "host/training/run.h"

#include <ATen/Context.h>

#include <utility>

#include "host/training/guard.h"

namespace mortise::training {
namespace {

// Asked at each run's start, not at the trainer's making: the GPU part may have been opened in between.
Result<at::Device> choose_device(Accelerator accelerator) {
  const bool present = at::hasCUDA();
  if (accelerator == Accelerator::kCuda && !present) {
    return Status(Code::kUsage, "accelerator is cuda, but libtorch sees no CUDA device here; allowed: auto, cpu");
  }
  // A trainer uses one device: the first of those that CUDA_VISIBLE_DEVICES leaves.
  return accelerator == Accelerator::kCpu || !present ? at::Device(at::kCPU) : at::Device(at::kCUDA, 0);
}

}  // namespace

Run::Run(Trainer& of, TrainerOptions resolved, TrainerServices given)
    : trainer(of), options(std::move(resolved)), services(given) {}

// Everything that a callback may want to know, by value but for the batch and the loss.
Moment Run::moment(Event event, const BatchAt& at) const {
  Moment moment;
  moment.event = event;
  moment.function = function;
  moment.stage = stage;
  moment.epoch = current_epoch();
  moment.global_step = global_step();
  moment.batch_idx = at.index;
  moment.is_last_batch = at.is_last;
  moment.batch = at.batch;
  moment.loss = at.loss;
  return moment;
}

Status Run::between_batches() {
  callbacks.let_go();
  if (!services.interrupted || !services.interrupted->load(std::memory_order_relaxed)) return {};
  return {Code::kInterrupted,
          "interrupted in epoch " + std::to_string(current_epoch()) + " after step " + std::to_string(global_step())};
}

Status Run::execute(Stage which, Task& what, const std::function<Status()>& body) {
  const Result<at::Device> chosen = choose_device(options.accelerator);
  MORTISE_RETURN_IF_ERROR(chosen.status());
  device = *chosen;
  function = stage = which;
  task = &what;
  metrics.clear();
  // Callbacks may have been added or removed since the last run.
  callbacks.subscribe();
  precision.emplace(options.precision, device, services.log);

  // One guard around the whole run: what libtorch throws anywhere inside ends here as a Status.
  return finish(guard([&]() -> Status {
    MORTISE_RETURN_IF_ERROR(tell(Event::kSetup));
    return body();
  }));
}

// First on_exception, then teardown, and only then is the run's state gone. The first failure is the outcome; one in
// teardown is at least logged.
Status Run::finish(Status outcome) {
  stage = function;
  if (outcome.code() == Code::kTorch) {
    outcome = outcome.within("epoch " + std::to_string(current_epoch()) + ", step " + std::to_string(global_step()));
  }
  if (!outcome.ok()) callbacks.tell_exception(outcome, moment(Event::kTeardown), trainer, services.log);
  const Status teardown = callbacks.tell_all(moment(Event::kTeardown), trainer, services.log);
  if (!outcome.ok() && !teardown.ok()) services.log.error(teardown.message());
  optimizer.reset();
  precision.reset();
  // From here on callbacks have no model to ask for.
  task = nullptr;
  return outcome.ok() ? teardown : outcome;
}

}  // namespace mortise::training
