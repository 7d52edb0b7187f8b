// From bytes to normalised floats by a table: a byte has 256 values, so that the arithmetic is done once per value
// and channel and not once per pixel.
#include "host/data/gather.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

#include <cstring>

namespace mortise::data {
namespace {

constexpr int64_t kBytes = 256;  // values of a byte

// The three do not overlap: told so, the compiler keeps several look-ups under way.
void look_up(const uint8_t* __restrict pixels, const float* __restrict row, float* __restrict target, int64_t count) {
  for (int64_t i = 0; i < count; ++i) target[i] = row[pixels[i]];
}

}  // namespace

at::Tensor normalisation_table(const Normalisation& normalisation) {
  const auto channels = static_cast<int64_t>(normalisation.mean.size());
  at::Tensor table = at::empty({channels * kBytes}, at::kFloat);
  auto* value = table.data_ptr<float>();
  for (size_t channel = 0; channel < normalisation.mean.size(); ++channel) {
    for (int64_t byte = 0; byte < kBytes; ++byte) {
      // ToTensor's and Normalize's arithmetic, in float32 and in their order: the same numbers as torchvision's, bit
      // for bit.
      *value++ = (static_cast<float>(byte) / 255.0F - normalisation.mean[channel]) / normalisation.std[channel];
    }
  }
  return table;
}

namespace internal {

// One pass: a look-up an element instead of four kernels and three temporary tensors.
at::Tensor gather_on_cpu(const at::Tensor& images, const at::Tensor& indices, const at::Tensor& table,
                         int64_t channels) {
  const int64_t stored = images.size(1);
  const int64_t plane = images.size(2) * images.size(3);
  at::Tensor batch = at::empty({indices.size(0), channels, images.size(2), images.size(3)}, at::kFloat);
  const auto* index = indices.const_data_ptr<int64_t>();
  const auto* source = images.const_data_ptr<uint8_t>();
  const auto* values = table.const_data_ptr<float>();
  auto* target = batch.data_ptr<float>();
  for (int64_t i = 0; i < indices.size(0); ++i) {
    const uint8_t* pixels = source + index[i] * stored * plane;
    for (int64_t channel = 0; channel < stored; ++channel, pixels += plane, target += plane) {
      look_up(pixels, values + channel * kBytes, target, plane);
    }
    for (int64_t channel = stored; channel < channels; ++channel, target += plane) {
      // A grey image's plane, repeated.
      std::memcpy(target, target - plane, static_cast<size_t>(plane) * sizeof(float));
    }
  }
  return batch;
}

// The same with libtorch's operators, for every other device. Each channel's bytes are moved to its part of the
// table.
at::Tensor gather_by_operators(const at::Tensor& images, const at::Tensor& indices, const at::Tensor& table,
                               int64_t channels) {
  at::Tensor rows = images.index_select(0, indices).to(at::kInt);
  if (rows.size(1) > 1) {
    const auto options = at::TensorOptions().dtype(at::kInt).device(rows.device());
    rows.add_(at::arange(0, rows.size(1) * kBytes, kBytes, options).view({1, -1, 1, 1}));
  }
  at::Tensor batch = table.index_select(0, rows.view(-1)).view(rows.sizes());
  if (channels != rows.size(1)) batch = batch.expand({-1, channels, -1, -1}).contiguous();
  return batch;
}

}  // namespace internal

at::Tensor gather_images(const at::Tensor& images, const at::Tensor& indices, const at::Tensor& table,
                         int64_t channels) {
  return images.device().is_cpu() ? internal::gather_on_cpu(images, indices, table, channels)
                                  : internal::gather_by_operators(images, indices, table, channels);
}

}  // namespace mortise::data
