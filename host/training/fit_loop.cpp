// The course of a fit: sanity check, epochs, batches, validation in between, and when to stop. Order of hooks and
// counts is Lightning's; the batch itself stands in training_batch.cpp.
#include "host/training/fit_loop.h"

#include <algorithm>
#include <utility>

#include "host/training/evaluation_loop.h"
#include "host/training/random_scope.h"

namespace mortise::training {
namespace {

// -1 asks for all of them, of which there may be an unknown number (-1 as well).
int64_t sanity_batches(int64_t asked, int64_t val_batches) {
  if (asked < 0) return val_batches;
  return val_batches < 0 ? asked : std::min(asked, val_batches);
}

}  // namespace

// Everything here follows from options and lengths, so that what does not fit is refused before any callback was
// called.
Result<FitPlan> plan_fit(const TrainerOptions& options, const BatchSource& training, const BatchSource* validation) {
  FitPlan plan;
  const Result<int64_t> train = limited(options.limit_train_batches, training.batches(), "limit_train_batches");
  MORTISE_RETURN_IF_ERROR(train.status());
  plan.train_batches = *train;
  if (!validation) return plan;

  const Result<int64_t> val = limited(options.limit_val_batches, validation->batches(), "limit_val_batches");
  MORTISE_RETURN_IF_ERROR(val.status());
  plan.val_batches = *val;
  plan.sanity_batches = sanity_batches(options.num_sanity_val_steps, plan.val_batches);
  // Nothing to validate between: an interval that does not fit would be refused for no reason.
  if (plan.train_batches == 0 || plan.val_batches == 0) return plan;
  const Result<int64_t> interval = validation_interval(
      options,
      // A number of batches is good for a source of unknown length, even if a limit gives the epoch a known one.
      training.batches() < 0 && std::holds_alternative<int64_t>(options.val_check_interval) ? -1 : plan.train_batches);
  MORTISE_RETURN_IF_ERROR(interval.status());
  plan.val_interval = *interval;
  return plan;
}

FitLoop::FitLoop(Run& run, const FitPlan& plan, BatchSource& training, BatchSource* validation)
    : run_(run),
      progress_(run.progress.fit),
      plan_(plan),
      feed_(training, plan.train_batches),
      validation_(validation),
      // Only a checkpoint saved inside an epoch leaves it started and not processed.
      inside_epoch_(progress_.epoch.current.started > progress_.epoch.current.processed) {}

bool FitLoop::max_steps_reached() const {
  return run_.options.max_steps != -1 && run_.global_step() >= run_.options.max_steps;
}

// min_epochs and min_steps outrank a wish to stop; the user is told once that they do.
bool FitLoop::may_stop() {
  if (!run_.should_stop) return false;
  const TrainerOptions& options = run_.options;
  const bool met = progress_.epoch.current.processed >= options.min_epochs.value_or(0) &&
                   run_.global_step() >= options.min_steps.value_or(0);
  if (!met && !std::exchange(told_to_wait_, true)) {
    run_.services.log.info("training goes on until min_epochs " + std::to_string(options.min_epochs.value_or(0)) +
                           " and min_steps " + std::to_string(options.min_steps.value_or(0)) + " are met");
  }
  return met;
}

// Asked again before each epoch. Counts are those of the whole training, so a second fit goes on where the first
// ended.
bool FitLoop::done() {
  const int64_t max_epochs = run_.options.max_epochs.value_or(-1);
  return plan_.train_batches == 0 || max_steps_reached() ||
         (max_epochs != -1 && progress_.epoch.current.processed >= max_epochs) || may_stop();
}

Status FitLoop::run() {
  // A run that goes on inside an epoch has passed its sanity check.
  if (!inside_epoch_) MORTISE_RETURN_IF_ERROR(sanity_check());
  // Without on_train_start, as Lightning does where there is nothing to train.
  if (done()) return {};
  MORTISE_RETURN_IF_ERROR(run_.tell(Event::kTrainStart));
  while (!done()) MORTISE_RETURN_IF_ERROR(train_epoch());
  return run_.tell(Event::kTrainEnd);
}

// Leaves nothing behind: no metrics, no counts, no random numbers.
Status FitLoop::sanity_check() {
  if (!validation_ || plan_.sanity_batches == 0) return {};
  const RandomScope random(run_.device);
  run_.stage = Stage::kSanityCheck;
  MORTISE_RETURN_IF_ERROR(run_.tell(Event::kSanityCheckStart));
  MORTISE_RETURN_IF_ERROR(validate(run_, Stage::kSanityCheck, *validation_, plan_.sanity_batches, nullptr));
  MORTISE_RETURN_IF_ERROR(run_.tell(Event::kSanityCheckEnd));
  run_.metrics.clear();
  run_.stage = Stage::kTrain;
  return {};
}

Status FitLoop::train_epoch() {
  // Only the first epoch of a fit can be a resumed one.
  const bool resumed = std::exchange(inside_epoch_, false);
  if (!resumed) {
    progress_.epoch.add(&Count::ready);
    // Per epoch; the totals go on.
    progress_.batch.current = {};
    progress_.batch.is_last = false;
    MORTISE_RETURN_IF_ERROR(run_.tell(Event::kTrainEpochStart));
    progress_.epoch.add(&Count::started);
  }
  MORTISE_RETURN_IF_ERROR(begin_batches(resumed));
  MORTISE_RETURN_IF_ERROR(train_batches());
  return end_epoch();
}

// Ordinary callbacks, then the model, then those that watch its values: so a checkpoint that monitors a training
// value sees this epoch's.
Status FitLoop::end_epoch() {
  progress_.epoch.add(&Count::processed);
  const Moment moment = run_.moment(Event::kTrainEpochEnd);
  MORTISE_RETURN_IF_ERROR(run_.callbacks.tell_ordinary(moment, run_.trainer));
  run_.task->on_train_epoch_end(run_.metrics);
  MORTISE_RETURN_IF_ERROR(run_.callbacks.tell_monitoring(moment, run_.trainer));
  progress_.epoch.add(&Count::completed);
  return run_.between_batches();
}

Status FitLoop::begin_batches(bool resumed) {
  BatchProgress& batch = progress_.batch;
  const int64_t taken = batch.current.processed;
  if (resumed && batch.current.completed < taken) {
    // The file was written in on_train_batch_end, before the validation that may follow.
    batch.add(&Count::completed);
    MORTISE_RETURN_IF_ERROR(after_batch(taken - 1, batch.is_last));
  }
  // The epoch's batches are all done; only its end is missing.
  if (batch.is_last) return {};
  // Batches that were taken before are passed over, so that the rest of the epoch is the same as without the break.
  return feed_.begin(run_.current_epoch(), taken);
}

Status FitLoop::train_batches() {
  Batch batch;
  BatchProgress& progress = progress_.batch;
  while (!progress.is_last && !max_steps_reached() && !may_stop()) {
    const int64_t index = progress.current.processed;
    const Result<bool> got = feed_.next(batch);
    MORTISE_RETURN_IF_ERROR(got.status());
    // A source may have fewer batches than it said, or than the limit.
    if (!*got) return {};
    progress.is_last = feed_.was_last();
    MORTISE_RETURN_IF_ERROR(train_batch({&batch, index, progress.is_last}));
    MORTISE_RETURN_IF_ERROR(run_.between_batches());
    MORTISE_RETURN_IF_ERROR(after_batch(index, progress.is_last));
  }
  return {};
}

bool FitLoop::validation_due(int64_t index, bool is_last) const {
  if (!validation_ || plan_.val_batches == 0) return false;
  const std::optional<int64_t>& every = run_.options.check_val_every_n_epoch;
  if (every && (run_.current_epoch() + 1) % *every != 0) return false;
  // 0 stands for the end of the epoch, whose position may be unknown before.
  if (plan_.val_interval == 0) return is_last;
  // Without check_val_every_n_epoch the interval counts batches across epochs.
  const int64_t position = every ? index : progress_.batch.total.ready - 1;
  return (position + 1) % plan_.val_interval == 0;
}

// A stop validates once more, in an epoch that validates.
Status FitLoop::after_batch(int64_t index, bool is_last) {
  const std::optional<int64_t>& every = run_.options.check_val_every_n_epoch;
  const bool in_turn = !every || (run_.current_epoch() + 1) % *every == 0;
  const bool stopping = validation_ && in_turn && may_stop();
  if (!stopping && !validation_due(index, is_last)) return {};
  // Inside an accumulation window the gradients are still needed.
  if (steps_after({nullptr, index, is_last})) run_.optimizer->zero_grad();
  MORTISE_RETURN_IF_ERROR(
      validate(run_, Stage::kValidate, *validation_, plan_.val_batches, &progress_.validation_batch));
  ++run_.validations;
  return {};
}

}  // namespace mortise::training
