// What is trained: the steps and hooks of Lightning's module. An embedder derives from Task or uses Classifier.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "host/training/batch.h"
#include "host/training/metrics.h"
#include "host/training/model.h"

namespace mortise::training {

// Runs on the train-thread. May throw what libtorch throws: the trainer turns it into a Status.
class Task {
 public:
  explicit Task(Model& model) : model_(model) {}
  virtual ~Task() = default;

  Model& model() const { return model_; }

  // The loss, a scalar with a graph.
  virtual at::Tensor training_step(const Batch& batch, int64_t batch_idx, Metrics& metrics) = 0;
  virtual void validation_step(const Batch& batch, int64_t batch_idx, Metrics& metrics) = 0;
  virtual void test_step(const Batch& batch, int64_t batch_idx, Metrics& metrics) = 0;
  virtual at::Tensor predict_step(const Batch& batch, int64_t /*batch_idx*/) { return model_.forward(batch.input); }

  virtual void on_train_epoch_end(Metrics& /*metrics*/) {}
  virtual void on_validation_epoch_end(Metrics& /*metrics*/) {}

 private:
  Model& model_;
};

// Cross entropy over classes. Logs train_loss a step; valid_loss, valid_acc and test_loss, test_acc as means.
class Classifier : public Task {
 public:
  using Task::Task;
  at::Tensor training_step(const Batch& batch, int64_t batch_idx, Metrics& metrics) override;
  void validation_step(const Batch& batch, int64_t batch_idx, Metrics& metrics) override;
  void test_step(const Batch& batch, int64_t batch_idx, Metrics& metrics) override;

 private:
  void evaluate(const Batch& batch, const char* loss_name, const char* accuracy_name, Metrics& metrics);
};

}  // namespace mortise::training
