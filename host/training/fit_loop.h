// Training: epochs, batches, and when to validate and to stop.
#pragma once

#include <cstdint>

#include "host/training/batch_feed.h"
#include "host/training/run.h"

namespace mortise::training {

// What the options come to with these data.
struct FitPlan {
  int64_t train_batches = 0, val_batches = 0;  // -1: unknown
  int64_t sanity_batches = 0;                  // -1: all
  int64_t val_interval = 0;                    // options.h: validation_interval
};

//   validation  may be null
//   errors      kUsage: a limit or an interval that does not fit
Result<FitPlan> plan_fit(const TrainerOptions& options, const BatchSource& training, const BatchSource* validation);

class FitLoop {
 public:
  // REQUIRES: run.optimizer; run.progress as loaded, if the run resumes
  FitLoop(Run& run, const FitPlan& plan, BatchSource& training, BatchSource* validation);

  // The sanity check and the training: from on_sanity_check_start to on_train_end.
  Status run();

 private:
  Status sanity_check();
  Status train_epoch();
  Status end_epoch();
  Status begin_batches(bool resumed);
  Status train_batches();
  Status after_batch(int64_t index, bool is_last);
  bool validation_due(int64_t index, bool is_last) const;

  Status train_batch(const BatchAt& at);
  Status backward(const Batch& batch, int64_t index, at::Tensor& loss);
  Status optimizer_step();
  bool steps_after(const BatchAt& at) const;

  bool max_steps_reached() const;
  bool may_stop();  // somebody asked to, and the minimums are met
  bool done();

  Run& run_;
  FitProgress& progress_;
  const FitPlan plan_;
  BatchFeed feed_;
  BatchSource* validation_;
  bool inside_epoch_;          // resumed from a file that was written inside an epoch
  bool told_to_wait_ = false;  // that a stop has to wait for the minimums was said
};

}  // namespace mortise::training
