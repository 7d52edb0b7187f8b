// What both optimisers share: checks, the gradient's end, and the state_dict in torch's form with its one group.
#include "host/training/optimizer.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <utility>

#include "host/core/text.h"
#include "host/training/fused_optimizer.h"
#include "host/training/guard.h"

namespace mortise::training {
namespace {

Status refuse(const std::string& option, double given, const std::string& allowed) {
  return {Code::kUsage, "optimizer option " + option + " is " + compact(given, 6) + "; allowed: " + allowed};
}

// Not below 0; NaN and infinity are refused, too.
Status check_not_negative(double value, const std::string& option) {
  return value >= 0 && std::isfinite(value) ? Status() : refuse(option, value, "from 0");
}

Status check_fraction(double value, const std::string& option) {
  return value >= 0 && value < 1 ? Status() : refuse(option, value, "from 0 to below 1");
}

Status damaged(const std::string& what) { return {Code::kData, "the checkpoint's optimizer state " + what}; }

}  // namespace

// torch's own limits, and finite numbers. Options that belong to the other optimiser are not looked at.
Status check(const OptimizerOptions& options) {
  MORTISE_RETURN_IF_ERROR(check_not_negative(options.lr, "lr"));
  MORTISE_RETURN_IF_ERROR(check_not_negative(options.weight_decay, "weight_decay"));
  if (options.kind == OptimizerKind::kSgd) {
    MORTISE_RETURN_IF_ERROR(check_not_negative(options.momentum, "momentum"));
    MORTISE_RETURN_IF_ERROR(check_not_negative(options.dampening, "dampening"));
    if (options.nesterov && (options.momentum <= 0 || options.dampening != 0)) {
      return {Code::kUsage, "optimizer option nesterov needs a momentum above 0 and dampening 0"};
    }
    return {};
  }
  MORTISE_RETURN_IF_ERROR(check_not_negative(options.eps, "eps"));
  MORTISE_RETURN_IF_ERROR(check_fraction(options.beta1, "beta1"));
  return check_fraction(options.beta2, "beta2");
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::vector<at::Tensor> parameters) {
  return options.kind == OptimizerKind::kSgd ? make_sgd(options, std::move(parameters))
                                             : make_adam(options, std::move(parameters));
}

FusedOptimizer::FusedOptimizer(const OptimizerOptions& options, std::vector<at::Tensor> parameters)
    : options_(options), parameters_(std::move(parameters)) {}

// Gone, not zero: torch's set_to_none, which saves the memory and the first addition.
void FusedOptimizer::zero_grad() {
  for (const at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

// The fused kernels walk through memory and take equal strides for granted; a gradient may have others.
at::Tensor FusedOptimizer::aligned_gradient(const at::Tensor& parameter) {
  const at::Tensor& gradient = parameter.grad();
  if (gradient.strides() == parameter.strides()) return gradient;
  return at::empty_like(parameter).copy_(gradient);
}

StateMap FusedOptimizer::state_dict() const {
  auto states = std::make_shared<StateMap>();
  auto indices = std::make_shared<StateList>();
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    indices->items.emplace_back(index);
    StateMap state = parameter_state(i);
    // torch leaves out parameters that have had no step.
    if (!state.items.empty()) states->set(index, std::make_shared<StateMap>(std::move(state)));
  }
  auto group = std::make_shared<StateMap>(this->group());
  group->set("params", std::move(indices));
  auto groups = std::make_shared<StateList>();
  groups->items.emplace_back(std::move(group));

  StateMap whole;
  whole.set("state", std::move(states));
  whole.set("param_groups", std::move(groups));
  return whole;
}

Status FusedOptimizer::load_state_dict(const StateMap& state) {
  const auto* states = find_map(state, "state");
  const auto* groups = find_list(state, "param_groups");
  if (!states || !groups) return damaged("lacks 'state' or 'param_groups'");
  if (groups->items.size() != 1) {
    return damaged("has " + std::to_string(groups->items.size()) + " parameter groups; 1 is possible");
  }
  const auto* group = std::get_if<std::shared_ptr<StateMap>>(&groups->items.front());
  const auto* indices = group ? find_list(**group, "params") : nullptr;
  if (!indices || indices->items.size() != parameters_.size()) {
    return damaged("is not of " + std::to_string(parameters_.size()) + " parameters, as the model has");
  }
  // Before anything is loaded: parameters without state in the file begin anew.
  clear_state();
  load_group(**group);
  // torch numbers the parameters by their place in the list, whatever number the file gives them.
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const int64_t* index = std::get_if<int64_t>(&indices->items[i]);
    const auto* own = index ? find_map(*states, *index) : nullptr;
    if (!own || own->items.empty()) continue;
    MORTISE_RETURN_IF_ERROR(guard([&] { return load_parameter_state(i, *own); }));
  }
  return {};
}

Result<at::Tensor> FusedOptimizer::restored(const StateMap& state, const std::string& name, size_t index) const {
  const StateValue* value = state.find(name);
  const at::Tensor* stored = value ? std::get_if<at::Tensor>(value) : nullptr;
  const at::Tensor& parameter = parameters_[index];
  if (!stored || stored->sizes() != parameter.sizes()) {
    return damaged("has no '" + name + "' of the right shape for parameter number " + std::to_string(index));
  }
  const c10::NoGradGuard no_grad;
  // On the parameter's device and with its strides, whatever the file has.
  return at::empty_like(parameter).copy_(*stored);
}

}  // namespace mortise::training
