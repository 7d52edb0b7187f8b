// Data whose sample i is the number i, and a task with one weight that learns from them.
#pragma once

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "host/training/task.h"

namespace mortise::support {

// In order, not shuffled.
class NumberSource : public training::BatchSource {
 public:
  struct Shape {
    int64_t samples = 0;
    int64_t batch_size = 1;
    bool drop_last = false;
    bool stream = false;  // does not know its length
  };
  explicit NumberSource(Shape shape) : shape_(shape) {}
  explicit NumberSource(int64_t samples) : shape_{samples} {}

  int64_t batches() const override { return shape_.stream ? -1 : length(); }
  Status to(at::Device) override { return {}; }
  Status begin(int64_t epoch) override {
    epochs.push_back(epoch);
    next_ = 0;
    return {};
  }
  Result<bool> next(training::Batch& batch) override {
    if (next_ == length() || next_ == ends_early_after) return false;
    const int64_t first = next_++ * shape_.batch_size;
    const int64_t size = std::min(shape_.batch_size, shape_.samples - first);
    batch.input = at::arange(first, first + size, at::kFloat).view({size, 1});
    batch.target = at::zeros({size}, at::kLong);
    batch.size = size;
    return true;
  }

  std::vector<int64_t> epochs;    // that were begun
  int64_t ends_early_after = -1;  // batches; -1: at the end

 private:
  int64_t length() const {
    const int64_t rest = shape_.drop_last ? 0 : shape_.batch_size - 1;
    return (shape_.samples + rest) / shape_.batch_size;
  }
  Shape shape_;
  int64_t next_ = 0;
};

inline int64_t first_sample(const training::Batch& batch) { return batch.input[0][0].item<int64_t>(); }

// The loss is the mean output. Logs train_loss a step and valid_loss 0.5 as a mean. What a test hangs in comes first.
class NumberTask : public training::Task {
 public:
  using training::Task::Task;
  using Step = std::function<void(const training::Batch&, int64_t batch_idx)>;

  at::Tensor training_step(const training::Batch& batch, int64_t index, training::Metrics& metrics) override {
    if (in_training_step) in_training_step(batch, index);
    at::Tensor loss = model().forward(batch.input).mean();
    metrics.log("train_loss", loss);
    return loss;
  }
  void validation_step(const training::Batch& batch, int64_t index, training::Metrics& metrics) override {
    if (in_validation_step) in_validation_step(batch, index);
    metrics.log_mean("valid_loss", at::full({}, 0.5), batch.size);
  }
  void test_step(const training::Batch& batch, int64_t index, training::Metrics& metrics) override {
    if (in_test_step) in_test_step(batch, index);
    metrics.log_mean("test_mean", batch.input.mean(), batch.size);
  }
  void on_train_epoch_end(training::Metrics&) override {
    if (at_train_epoch_end) at_train_epoch_end();
  }

  Step in_training_step, in_validation_step, in_test_step;
  std::function<void()> at_train_epoch_end;
};

}  // namespace mortise::support
