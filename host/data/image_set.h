// Images and their classes as they stand in a data set's files.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mortise::data {

struct ImageSet {
  at::Tensor images;  // uint8 [samples, channels, height, width]
  at::Tensor labels;  // int64 [samples]

  int64_t size() const { return labels.size(0); }
};

}  // namespace mortise::data
