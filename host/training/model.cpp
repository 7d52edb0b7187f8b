// A module with the names that Python gives its parts: those of the state_dict are the checkpoint's interface.
#include "host/training/model.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "host/core/text.h"
#include "host/training/guard.h"

namespace mortise::training {
namespace {

// torch's name of a module's class: "torch::nn::Conv2dImpl" is "Conv2d".
std::string class_name(const torch::nn::Module& module) {
  std::string name = module.name();
  const std::string prefix = "torch::nn::", suffix = "Impl";
  if (name.starts_with(prefix)) name.erase(0, prefix.size());
  if (name.ends_with(suffix)) name.erase(name.size() - suffix.size());
  return name;
}

std::string joined(const std::string& path, const std::string& name) { return path.empty() ? name : path + "." + name; }

// Calls visit(path, module) for a module and all below it, parents first: Python's order.
template <typename Visit>
void walk(const torch::nn::Module& module, const std::string& path, const Visit& visit) {
  visit(path, module);
  for (const auto& child : module.named_children()) walk(*child.value(), joined(path, child.key()), visit);
}

// A parameter that two modules share is listed under both names, the later ones marked, since state_dict has both.
std::vector<Parameter> list_parameters(const torch::nn::Module& network) {
  std::vector<Parameter> parameters;
  std::set<const c10::TensorImpl*> seen;
  walk(network, "", [&](const std::string& path, const torch::nn::Module& module) {
    for (const auto& own : module.named_parameters(/*recurse=*/false)) {
      const bool shared = !seen.insert(own.value().unsafeGetTensorImpl()).second;
      parameters.push_back({joined(path, own.key()), path, class_name(module), own.value(), shared});
    }
  });
  return parameters;
}

std::vector<at::Tensor> tensors_of(const std::vector<Parameter>& parameters) {
  std::vector<at::Tensor> tensors;
  tensors.reserve(parameters.size());
  for (const Parameter& parameter : parameters) tensors.push_back(parameter.tensor);
  return tensors;
}

std::string shape_text(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

// What keeps values from fitting into a model's own tensors; empty: nothing.
// All three lists at once, as torch's load_state_dict with strict=True reports them.
std::string misfit(const StateDict& own, const std::map<std::string, at::Tensor>& values) {
  std::vector<std::string> missing, unexpected, reshaped;
  std::set<std::string> known;
  for (const auto& [name, tensor] : own) {
    known.insert(name);
    const auto value = values.find(name);
    if (value == values.end()) {
      missing.push_back(name);
    } else if (value->second.sizes() != tensor.sizes()) {
      reshaped.push_back(name + " " + shape_text(value->second) + " instead of " + shape_text(tensor));
    }
  }
  for (const auto& [name, value] : values) {
    if (!known.contains(name)) unexpected.push_back(name);
  }
  std::vector<std::string> parts;
  if (!missing.empty()) parts.push_back("missing: " + join(missing, ", "));
  if (!unexpected.empty()) parts.push_back("unexpected: " + join(unexpected, ", "));
  if (!reshaped.empty()) parts.push_back("of another shape: " + join(reshaped, ", "));
  return join(parts, "; ");
}

}  // namespace

Model::Model(std::shared_ptr<torch::nn::Module> network, Forward forward)
    : network_(std::move(network)),
      forward_(std::move(forward)),
      parameters_(list_parameters(*network_)),
      // Shared, so that a plugin's mask can tell whether the model is still there.
      masks_(std::make_shared<Masks>(tensors_of(parameters_))) {}

Status Model::to(at::Device device) {
  return guard([&]() -> Status {
    // A copy to the CPU is waited for: its values are read at once.
    network_->to(device, /*non_blocking=*/!device.is_cpu());
    // After the parameters, whose device they take.
    masks_->follow_parameters();
    return {};
  });
}

// All parameters are on one device; a model without any is at home on the CPU.
at::Device Model::device() const {
  return parameters_.empty() ? at::Device(at::kCPU) : parameters_.front().tensor.device();
}

void Model::train(bool on) { network_->train(on); }

// Module by module, parameters before buffers: torch's order, which files show. The tensors are the model's own.
StateDict Model::state_dict() const {
  StateDict state;
  walk(*network_, "", [&](const std::string& path, const torch::nn::Module& module) {
    for (const auto& own : module.named_parameters(/*recurse=*/false)) {
      state.emplace_back(joined(path, own.key()), own.value());
    }
    for (const auto& own : module.named_buffers(/*recurse=*/false)) {
      state.emplace_back(joined(path, own.key()), own.value());
    }
  });
  return state;
}

Status Model::load_state_dict(const StateDict& values) {
  const StateDict own = state_dict();
  const std::map<std::string, at::Tensor> given(values.begin(), values.end());
  const std::string problem = misfit(own, given);
  // Nothing has been changed yet: a model is loaded wholly or not at all.
  if (!problem.empty()) return {Code::kData, "the weights do not fit the model; " + problem};
  return guard([&]() -> Status {
    const c10::NoGradGuard no_grad;
    for (const auto& [name, tensor] : own) tensor.copy_(given.at(name));
    return {};
  });
}

}  // namespace mortise::training
