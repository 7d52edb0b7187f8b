// From rows of bytes to a normalised batch: the hot path of the data pipeline.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "host/core/status.h"
#include "host/data/data_set.h"

namespace mortise::data {

// float32 [channels * 256]: what each byte of each channel becomes, (byte / 255 - mean) / std in float32.
at::Tensor normalisation_table(const Normalisation& normalisation);

// A fresh float32 tensor [indices, channels, height, width] of the chosen images.
//   images    uint8 [samples, c, h, w], contiguous
//   indices   int64 [n], contiguous, on the same device, each below samples
//   table     of c channels, on the same device
//   channels  c, or any number where c is 1: the channel is repeated
at::Tensor gather_images(const at::Tensor& images, const at::Tensor& indices, const at::Tensor& table,
                         int64_t channels);

namespace internal {
// The two ways gather_images takes, for the test that they agree bit for bit.
at::Tensor gather_on_cpu(const at::Tensor& images, const at::Tensor& indices, const at::Tensor& table,
                         int64_t channels);
at::Tensor gather_by_operators(const at::Tensor& images, const at::Tensor& indices, const at::Tensor& table,
                               int64_t channels);
}  // namespace internal

}  // namespace mortise::data
