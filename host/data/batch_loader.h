// Shuffled, normalised batches of an image set, made on the device where the set lies.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "host/core/status.h"
#include "host/data/data_set.h"

namespace mortise::data {

struct LoaderOptions {
  int64_t batch_size = 64;
  bool shuffle = false;
  bool drop_last = false;  // leave out an incomplete last batch
  int64_t channels = 0;    // what the network takes; 0: as the data; a single channel is repeated
  uint64_t seed = 0;       // of the order; torch's generators are not touched
};

struct LoadedBatch {
  at::Tensor input;   // float32 [size, channels, height, width], fresh
  at::Tensor target;  // int64 [size]
  int64_t size = 0;
};

// Keeps the whole set on the device as bytes. Used from one thread.
class BatchLoader {
 public:
  // Refuses (kUsage) a batch size below 1, channels that do not fit, a set without samples.
  static Result<BatchLoader> create(ImageSet set, const Normalisation& normalisation, const LoaderOptions& options);

  int64_t batches() const;  // of an epoch
  int64_t samples() const { return set_.size(); }

  // Moves the set. The order of an epoch is the same on every device.
  Status to(at::Device device);

  // Begins an epoch: seed and number alone give its order.
  Status begin(int64_t epoch);

  // The next batch; false at the end of the epoch.
  Result<bool> next(LoadedBatch& batch);

 private:
  BatchLoader(ImageSet set, at::Tensor table, const LoaderOptions& options);

  ImageSet set_;
  at::Tensor table_;
  LoaderOptions options_;
  at::Tensor order_;   // int64 [samples], on the device
  int64_t next_ = -1;  // first sample of the next batch; -1: no epoch was begun
};

}  // namespace mortise::data
