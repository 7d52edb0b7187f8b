// Batches and where they come from.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "host/core/status.h"

namespace mortise::training {

struct Batch {
  at::Tensor input;   // [size, ...], on the run's device
  at::Tensor target;  // [size] int64, on the run's device
  int64_t size = 0;   // samples
};

// An epoch's batches, again and again. Used from the train-thread only.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  // Batches of an epoch; -1 if the source does not know.
  virtual int64_t batches() const = 0;

  // Puts what follows onto a device. Called once before the first epoch of a run.
  virtual Status to(at::Device device) = 0;

  // Begins an epoch: the same number gives the same order.
  virtual Status begin(int64_t epoch) = 0;

  // The next batch; false at the end of the epoch.
  virtual Result<bool> next(Batch& batch) = 0;
};

}  // namespace mortise::training
