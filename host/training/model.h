// A network as the trainer and the plugins see it: parameters in the order of registration, and masks on them.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/core/status.h"
#include "host/training/masks.h"

namespace torch::nn {
class Module;
}

namespace mortise::training {

struct Parameter {
  std::string name;         // "layer1.0.conv1.weight"
  std::string module;       // "layer1.0.conv1"; empty: the network itself
  std::string module_type;  // torch's name of the owner's class: "Conv2d"
  at::Tensor tensor;        // the parameter itself, whatever happens to its values
  bool shared = false;      // an earlier entry is the same parameter
};

using StateDict = std::vector<std::pair<std::string, at::Tensor>>;

class Model {
 public:
  using Forward = std::function<at::Tensor(const at::Tensor&)>;

  // Takes part in the network's ownership. forward calls the network; it is kept as long as the model.
  Model(std::shared_ptr<torch::nn::Module> network, Forward forward);

  at::Tensor forward(const at::Tensor& input) const { return forward_(input); }
  torch::nn::Module& network() const { return *network_; }

  const std::vector<Parameter>& parameters() const { return parameters_; }
  // Shared with whoever holds a mask, so that a mask may end after the model.
  const std::shared_ptr<Masks>& masks() const { return masks_; }

  // Moves parameters and buffers; parameters keep their identity.
  Status to(at::Device device);
  at::Device device() const;
  void train(bool on);

  // Parameters and buffers under Python's names and in its order (per module: parameters, buffers, children). Not
  // copied.
  StateDict state_dict() const;
  // Copies values in. All names must be there and no others, with equal shapes; otherwise nothing changes and the
  // message lists what is missing, unexpected and of another shape.
  Status load_state_dict(const StateDict& values);

 private:
  std::shared_ptr<torch::nn::Module> network_;
  Forward forward_;
  std::vector<Parameter> parameters_;
  std::shared_ptr<Masks> masks_;
};

}  // namespace mortise::training
