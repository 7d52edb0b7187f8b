// ResNets with torchvision's names, order, shapes and initial values.
//
// source  He et al. 2016, "Deep residual learning for image recognition"; stride in the 3 x 3 convolution of a
//         bottleneck, as torchvision has it (v1.5)
#pragma once

#include <cstdint>

#include "host/core/status.h"
#include "host/models/build_model.h"

namespace mortise::models {

// They take three channels: images of one are to be repeated.
Result<BuiltModel> build_resnet18(const InputShape& input, int64_t classes);
Result<BuiltModel> build_resnet34(const InputShape& input, int64_t classes);
Result<BuiltModel> build_resnet50(const InputShape& input, int64_t classes);

}  // namespace mortise::models
