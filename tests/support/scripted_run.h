// A task and batches whose every value a test writes down: sample i is the number i, the network one weight.
#pragma once

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <torch/nn/modules/linear.h>

#include <functional>
#include <memory>
#include <string>

#include "host/core/log.h"
#include "host/training/model.h"
#include "host/training/task.h"

namespace mortise::support {

class CollectingLog : public Log {
 public:
  void write(Level level, const std::string& line) override {
    if (level >= Level::kWarning) warnings += line + "\n";
    all += line + "\n";
  }
  std::string warnings;
  std::string all;
};

// Batches of one sample each, in order.
class CountingSource : public training::BatchSource {
 public:
  explicit CountingSource(int64_t batches) : batches_(batches) {}
  int64_t batches() const override { return batches_; }
  Status to(at::Device device) override {
    device_ = device;
    return {};
  }
  Status begin(int64_t) override {
    next_ = 0;
    return {};
  }
  Result<bool> next(training::Batch& batch) override {
    if (next_ == batches_) return false;
    batch.input = at::full({1, 1}, static_cast<float>(next_), at::TensorOptions(device_));
    batch.target = at::full({1}, 0, at::TensorOptions(device_).dtype(at::kLong));
    batch.size = 1;
    ++next_;
    return true;
  }

 private:
  int64_t batches_;
  int64_t next_ = 0;
  at::Device device_ = at::kCPU;
};

// One linear layer: parameters "weight" [1, 1] and "bias" [1], owned by the network itself.
inline std::unique_ptr<training::Model> one_weight_model() {
  auto network = std::make_shared<torch::nn::LinearImpl>(1, 1);
  return std::make_unique<training::Model>(network, [network](const at::Tensor& x) { return network->forward(x); });
}

// Logs what the test's functions log.
class ScriptedTask : public training::Task {
 public:
  using training::Task::Task;
  at::Tensor training_step(const training::Batch& batch, int64_t, training::Metrics& metrics) override {
    if (in_training_step) in_training_step(metrics);
    return model().forward(batch.input).sum();
  }
  void validation_step(const training::Batch&, int64_t, training::Metrics&) override {}
  void test_step(const training::Batch&, int64_t, training::Metrics&) override {}
  void on_train_epoch_end(training::Metrics& metrics) override {
    if (at_train_epoch_end) at_train_epoch_end(metrics);
  }
  void on_validation_epoch_end(training::Metrics& metrics) override {
    if (at_validation_epoch_end) at_validation_epoch_end(metrics);
  }

  std::function<void(training::Metrics&)> in_training_step, at_train_epoch_end, at_validation_epoch_end;
};

}  // namespace mortise::support
