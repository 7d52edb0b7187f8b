// The hot part of training: one batch.
#include <ATen/core/Tensor.h>

#include "host/training/fit_loop.h"
#include "host/training/gradient_clipping.h"

namespace mortise::training {

// The last batch of an epoch steps even with a window half full, as in Lightning.
bool FitLoop::steps_after(const BatchAt& at) const {
  return at.is_last || (at.index + 1) % run_.options.accumulate_grad_batches == 0;
}

Status FitLoop::train_batch(const BatchAt& at) {
  progress_.batch.add(&Count::ready);
  MORTISE_RETURN_IF_ERROR(run_.tell(Event::kTrainBatchStart, at));
  progress_.batch.add(&Count::started);
  at::Tensor loss;
  MORTISE_RETURN_IF_ERROR(backward(*at.batch, at.index, loss));
  if (steps_after(at)) MORTISE_RETURN_IF_ERROR(optimizer_step());
  progress_.batch.add(&Count::processed);
  if (run_.callbacks.wanted(Event::kTrainBatchEnd)) {
    // Only if somebody listens. Detached, so that a callback that keeps it does not keep the graph.
    const at::Tensor detached = loss.detach();
    MORTISE_RETURN_IF_ERROR(run_.tell(Event::kTrainBatchEnd, {at.batch, at.index, at.is_last, &detached}));
  }
  progress_.batch.add(&Count::completed);
  return {};
}

// The training step and the gradients. The loss is divided by the accumulation, also in a short last window.
Status FitLoop::backward(const Batch& batch, int64_t index, at::Tensor& loss) {
  const int64_t accumulate = run_.options.accumulate_grad_batches;
  {
    const AutocastScope autocast = run_.precision->forward_scope();
    loss = run_.task->training_step(batch, index, run_.metrics);
  }
  if (!loss.defined() || loss.numel() != 1 || !loss.requires_grad()) {
    return {Code::kUsage, "training_step must return a loss of one element that depends on the parameters"};
  }
  if (accumulate > 1) loss = loss.div(accumulate);
  // At a window's beginning, after the forward pass: Lightning's closure has this order.
  if (index % accumulate == 0) {
    MORTISE_RETURN_IF_ERROR(run_.tell(Event::kBeforeZeroGrad));
    progress_.zero_grad.add(&Count::ready);
    progress_.zero_grad.add(&Count::started);
    run_.optimizer->zero_grad();
    progress_.zero_grad.add(&Count::completed);
  }
  // Callbacks see the scaled loss, which is what is differentiated.
  LossScaler* scaler = run_.precision->scaler();
  const at::Tensor scaled = scaler ? scaler->scale(loss) : loss;
  MORTISE_RETURN_IF_ERROR(run_.tell(Event::kBeforeBackward, {nullptr, 0, false, &scaled}));
  scaled.backward();
  return run_.tell(Event::kAfterBackward);
}

// A step that the scaler skips counts, as it does in Lightning: whether it was skipped is known on the device only.
Status FitLoop::optimizer_step() {
  Optimizer& optimizer = *run_.optimizer;
  Masks& masks = *run_.task->model().masks();
  LossScaler* scaler = run_.precision->scaler();
  progress_.optimizer_step.add(&Count::ready);
  at::Tensor found_inf;
  if (scaler) found_inf = scaler->unscale(optimizer.parameters());
  // Gradients are unscaled by now, and neither masked nor clipped.
  MORTISE_RETURN_IF_ERROR(run_.tell(Event::kBeforeOptimizerStep));
  masks.apply_to_gradients();
  const double limit = run_.options.gradient_clip_val;
  if (limit > 0 && run_.options.gradient_clip_algorithm == "value") {
    clip_grad_value(optimizer.parameters(), limit);
  } else if (limit > 0) {
    clip_grad_norm(optimizer.parameters(), limit);
  }
  optimizer.step(found_inf);
  if (scaler) scaler->update(found_inf);
  masks.apply_to_weights();
  progress_.optimizer_step.add(&Count::completed);
  ++progress_.batches_that_stepped;
  return {};
}

}  // namespace mortise::training
