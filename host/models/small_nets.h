// Small networks for small images: a perceptron and LeNet-5.
#pragma once

#include <cstdint>

#include "host/core/status.h"
#include "host/models/build_model.h"

namespace mortise::models {

// flatten, fc1 (512), ReLU, fc2 (256), ReLU, fc3.
Result<BuiltModel> build_mlp(const InputShape& input, int64_t classes);

// conv1 (6, 5 x 5), ReLU, max-pool, conv2 (16, 5 x 5), ReLU, max-pool, fc1 (120), fc2 (84), fc3. Images of less than
// 32 rows or columns are padded by two on each side, as LeCun et al. 1998 did with the digits.
Result<BuiltModel> build_lenet(const InputShape& input, int64_t classes);

}  // namespace mortise::models
