// The loop that a user of plain libtorch writes: torch::nn, torch::optim, index_select on a set of bytes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mortise::bench {

// Trains LeNet for `steps` batches and returns the seconds it took.
//   images  uint8 [n, 1, 28, 28];  labels  int64 [n]
double plain_libtorch_seconds(const at::Tensor& images, const at::Tensor& labels, int64_t batch_size, int64_t steps,
                              double lr, double momentum, at::Device device);

}  // namespace mortise::bench
