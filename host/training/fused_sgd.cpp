// Stochastic gradient descent with momentum (Sutskever et al. 2013), torch's form of it.
#include <ATen/core/Tensor.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <utility>

#include "host/training/fused_optimizer.h"

namespace mortise::training {
namespace {

class Sgd : public FusedOptimizer {
 public:
  Sgd(const OptimizerOptions& options, std::vector<at::Tensor> parameters)
      : FusedOptimizer(options, std::move(parameters)), buffers_(parameters_.size()) {}

  void step(const at::Tensor& found_inf) override;

 protected:
  StateMap parameter_state(size_t index) const override;
  Status load_parameter_state(size_t index, const StateMap& state) override;
  void clear_state() override { buffers_.assign(parameters_.size(), {}); }
  StateMap group() const override;
  void load_group(const StateMap& group) override;

 private:
  // What one call of the kernel works on; kept, so that a step allocates nothing.
  struct Lists {
    std::vector<at::Tensor> parameters, gradients, buffers;
    void clear() {
      parameters.clear();
      gradients.clear();
      buffers.clear();
    }
  };
  void sort_into_lists();
  void run(Lists& lists, bool first, const at::Tensor& found_inf) const;

  std::vector<at::Tensor> buffers_;  // undefined until the parameter's first step, and always without momentum
  Lists begun_, fresh_;
};

// Parameters in their first step and those after it may need a call each, since the kernel has one flag for all.
void Sgd::sort_into_lists() {
  begun_.clear();
  fresh_.clear();
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].grad().defined()) continue;
    // The first gradient goes whole into the buffer. Into a buffer of zeros it does so by itself, unless it is
    // dampened.
    Lists* lists = &begun_;
    if (options_.momentum != 0 && !buffers_[i].defined()) {
      buffers_[i] = at::zeros_like(parameters_[i]);
      if (options_.dampening != 0) lists = &fresh_;
    }
    lists->parameters.push_back(parameters_[i]);
    lists->gradients.push_back(aligned_gradient(parameters_[i]));
    if (options_.momentum != 0) lists->buffers.push_back(buffers_[i]);
  }
}

// found_inf on the device lets the kernel skip the step without the host's asking.
void Sgd::run(Lists& lists, bool first, const at::Tensor& found_inf) const {
  if (lists.parameters.empty()) return;
  const auto skip = found_inf.defined() ? std::optional(found_inf) : std::nullopt;
  at::_fused_sgd_(lists.parameters, lists.gradients, lists.buffers, options_.weight_decay, options_.momentum,
                  options_.lr, options_.dampening, options_.nesterov, options_.maximize, first, std::nullopt, skip);
}

void Sgd::step(const at::Tensor& found_inf) {
  const c10::NoGradGuard no_grad;
  sort_into_lists();
  run(begun_, false, found_inf);
  run(fresh_, true, found_inf);
  // Gradients are given back now, not at the next step.
  begun_.clear();
  fresh_.clear();
}

StateMap Sgd::parameter_state(size_t index) const {
  StateMap state;
  if (buffers_[index].defined()) state.set("momentum_buffer", buffers_[index]);
  return state;
}

Status Sgd::load_parameter_state(size_t index, const StateMap& state) {
  const StateValue* stored = state.find("momentum_buffer");
  // torch writes None where a parameter has had no step with momentum.
  if (!stored || std::holds_alternative<std::monostate>(*stored)) return {};
  Result<at::Tensor> buffer = restored(state, "momentum_buffer", index);
  if (buffer.ok()) buffers_[index] = *buffer;
  return buffer.status();
}

// All keys of torch's group; None for foreach and fused lets torch choose.
StateMap Sgd::group() const {
  StateMap group;
  group.set("lr", options_.lr);
  group.set("momentum", options_.momentum);
  group.set("dampening", options_.dampening);
  group.set("weight_decay", options_.weight_decay);
  group.set("nesterov", options_.nesterov);
  group.set("maximize", options_.maximize);
  group.set("foreach", std::monostate());
  group.set("differentiable", false);
  group.set("fused", std::monostate());
  return group;
}

void Sgd::load_group(const StateMap& group) {
  options_.lr = find_number(group, "lr").value_or(options_.lr);
  options_.momentum = find_number(group, "momentum").value_or(options_.momentum);
  options_.dampening = find_number(group, "dampening").value_or(options_.dampening);
  options_.weight_decay = find_number(group, "weight_decay").value_or(options_.weight_decay);
  options_.nesterov = find_flag(group, "nesterov").value_or(options_.nesterov);
  options_.maximize = find_flag(group, "maximize").value_or(options_.maximize);
}

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const OptimizerOptions& options, std::vector<at::Tensor> parameters) {
  return std::make_unique<Sgd>(options, std::move(parameters));
}

}  // namespace mortise::training
