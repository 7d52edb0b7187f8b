// One pass over data without learning. Validation inside fit, and validate, test and predict, differ only in the
// names of their events and in the step.
#include "host/training/evaluation_loop.h"

#include <c10/core/GradMode.h>
#include <torch/nn/module.h>

#include <memory>
#include <utility>
#include <vector>

#include "host/training/batch_feed.h"

namespace mortise::training {
namespace {

// What a pass of one kind tells.
struct EvaluationEvents {
  Event start, end, epoch_start, epoch_end, batch_start, batch_end;
};

EvaluationEvents events_of(Stage stage) {
  switch (stage) {
    case Stage::kTest:
      return {Event::kTestStart,    Event::kTestEnd,        Event::kTestEpochStart,
              Event::kTestEpochEnd, Event::kTestBatchStart, Event::kTestBatchEnd};
    case Stage::kPredict:
      return {Event::kPredictStart,    Event::kPredictEnd,        Event::kPredictEpochStart,
              Event::kPredictEpochEnd, Event::kPredictBatchStart, Event::kPredictBatchEnd};
    default:
      return {Event::kValidationStart,    Event::kValidationEnd,        Event::kValidationEpochStart,
              Event::kValidationEpochEnd, Event::kValidationBatchStart, Event::kValidationBatchEnd};
  }
}

// Evaluation mode and no gradients while it lives, and the run's stage.
class EvaluationScope {
 public:
  EvaluationScope(Run& run, Stage stage) : run_(run), outer_stage_(std::exchange(run.stage, stage)) {
    // Each module's own mode: a frozen batch norm that the user set to evaluation must not come back as training.
    // Lightning keeps them in the same way.
    for (const auto& module : run.task->model().network().modules()) modes_.emplace_back(module, module->is_training());
    run.task->model().train(false);
  }
  ~EvaluationScope() {
    // train() reaches what is below a module, and parents come first in the list: each gets its own mode in the end.
    for (const auto& [module, training] : modes_) module->train(training);
    run_.stage = outer_stage_;
  }
  EvaluationScope(const EvaluationScope&) = delete;
  EvaluationScope& operator=(const EvaluationScope&) = delete;

 private:
  Run& run_;
  Stage outer_stage_;
  c10::NoGradGuard no_grad_;
  std::vector<std::pair<std::shared_ptr<torch::nn::Module>, bool>> modes_;
};

// Counts move as Lightning's do: ready before the batch's start is told, completed after its end was.
Status evaluate_batches(Run& run, BatchFeed& feed, const EvaluationEvents& events, BatchProgress& progress,
                        const std::function<void(const Batch&, int64_t)>& step) {
  Batch batch;
  for (int64_t index = 0;; ++index) {
    const Result<bool> got = feed.next(batch);
    MORTISE_RETURN_IF_ERROR(got.status());
    if (!*got) return {};
    const BatchAt at{&batch, index, feed.was_last()};
    progress.is_last = at.is_last;
    progress.add(&Count::ready);
    MORTISE_RETURN_IF_ERROR(run.tell(events.batch_start, at));
    progress.add(&Count::started);
    {
      // Around the step alone: callbacks compute in full precision.
      const AutocastScope autocast = run.precision->forward_scope();
      step(batch, index);
    }
    progress.add(&Count::processed);
    MORTISE_RETURN_IF_ERROR(run.tell(events.batch_end, at));
    progress.add(&Count::completed);
    MORTISE_RETURN_IF_ERROR(run.between_batches());
  }
}

}  // namespace

Status evaluate(Run& run, Stage stage, BatchSource& source, int64_t batches, BatchProgress* progress,
                const std::function<void(const Batch&, int64_t)>& step) {
  // A limit of 0 switches the pass off, events included.
  if (batches == 0) return {};
  // The sanity check leaves no trace in the counters.
  BatchProgress uncounted;
  BatchProgress& counted = progress ? *progress : uncounted;
  counted.current = {};
  const EvaluationEvents events = events_of(stage);
  const EvaluationScope scope(run, stage);
  // Left over from a pass that failed.
  run.metrics.drop_means();

  MORTISE_RETURN_IF_ERROR(run.tell(events.start));
  MORTISE_RETURN_IF_ERROR(run.tell(events.epoch_start));
  BatchFeed feed(source, batches);
  // Evaluation data have one order: every pass is their first epoch.
  MORTISE_RETURN_IF_ERROR(feed.begin(0));
  MORTISE_RETURN_IF_ERROR(evaluate_batches(run, feed, events, counted, step));
  // Before the epoch's end is told, for that is where callbacks read them.
  run.metrics.finish_means();
  MORTISE_RETURN_IF_ERROR(run.tell(events.epoch_end));
  if (events.epoch_end == Event::kValidationEpochEnd) run.task->on_validation_epoch_end(run.metrics);
  return run.tell(events.end);
}

Status validate(Run& run, Stage stage, BatchSource& source, int64_t batches, BatchProgress* progress) {
  return evaluate(run, stage, source, batches, progress,
                  [&run](const Batch& batch, int64_t index) { run.task->validation_step(batch, index, run.metrics); });
}

}  // namespace mortise::training
