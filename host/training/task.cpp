// Classification with cross-entropy, the built-in task.
#include "host/training/task.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/cross_entropy_loss.h>

namespace mortise::training {

at::Tensor Classifier::training_step(const Batch& batch, int64_t /*batch_idx*/, Metrics& metrics) {
  at::Tensor loss = at::cross_entropy_loss(model().forward(batch.input), batch.target);
  // Not read here: on a GPU that would wait for the forward pass in every step.
  metrics.log("train_loss", loss);
  return loss;
}

void Classifier::validation_step(const Batch& batch, int64_t /*batch_idx*/, Metrics& metrics) {
  evaluate(batch, "valid_loss", "valid_acc", metrics);
}

void Classifier::test_step(const Batch& batch, int64_t /*batch_idx*/, Metrics& metrics) {
  evaluate(batch, "test_loss", "test_acc", metrics);
}

void Classifier::evaluate(const Batch& batch, const char* loss_name, const char* accuracy_name, Metrics& metrics) {
  const at::Tensor scores = model().forward(batch.input);
  const at::Tensor hits = scores.argmax(1).eq(batch.target);
  // Weighted by the batch's size, so that a short last batch counts for what it holds.
  metrics.log_mean(loss_name, at::cross_entropy_loss(scores, batch.target), batch.size);
  metrics.log_mean(accuracy_name, hits.mean(at::kFloat), batch.size);
}

}  // namespace mortise::training
