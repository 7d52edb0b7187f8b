// The networks that are known by name.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/core/status.h"

namespace torch::nn {
class Module;
}

namespace mortise::models {

struct BuiltModel {
  std::shared_ptr<torch::nn::Module> network;  // names, order and shapes of parameters as in Python
  std::function<at::Tensor(const at::Tensor&)> forward;
  int64_t channels = 0;  // channels its input must have; 0: those of the data
};

// What the network will be fed.
struct InputShape {
  int64_t channels = 0, height = 0, width = 0;
};

// "mlp", "lenet", "resnet18", "resnet34", "resnet50".
const std::vector<std::string>& model_names();

// Builds a network with torch's default initialisation, drawn from torch's global generator in the order in which
// Python draws: after the same torch.manual_seed a ResNet has torchvision's weights, bit for bit.
//   errors  kUsage: no such name, or an input that the network cannot take
Result<BuiltModel> build_model(const std::string& name, const InputShape& input, int64_t classes);

}  // namespace mortise::models
