// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019), torch's form of them.
#include <ATen/core/Tensor.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <utility>

#include "host/training/fused_optimizer.h"

namespace mortise::training {
namespace {

class Adam : public FusedOptimizer {
 public:
  Adam(const OptimizerOptions& options, std::vector<at::Tensor> parameters)
      : FusedOptimizer(options, std::move(parameters)), moments_(parameters_.size()) {}

  void step(const at::Tensor& found_inf) override;

 protected:
  StateMap parameter_state(size_t index) const override;
  Status load_parameter_state(size_t index, const StateMap& state) override;
  void clear_state() override { moments_.assign(parameters_.size(), {}); }
  StateMap group() const override;
  void load_group(const StateMap& group) override;

 private:
  struct Moments {
    at::Tensor step;  // [] float32: steps of this parameter; undefined before its first
    at::Tensor average, square, max_square;
  };
  struct Lists {
    std::vector<at::Tensor> parameters, gradients, averages, squares, max_squares, steps;
    void clear() {
      for (auto* list : {&parameters, &gradients, &averages, &squares, &max_squares, &steps}) list->clear();
    }
  };
  Moments begin(const at::Tensor& parameter) const;
  void fill_lists();
  bool decoupled() const { return options_.kind == OptimizerKind::kAdamW; }

  std::vector<Moments> moments_;  // parallel to parameters_
  Lists lists_;                   // kept, so that a step allocates nothing
};

// State is made with a parameter's first gradient, as torch does, so that the file of a young run has no zeros in it.
Adam::Moments Adam::begin(const at::Tensor& parameter) const {
  return {at::zeros({}, parameter.options().dtype(at::kFloat).requires_grad(false)), at::zeros_like(parameter),
          at::zeros_like(parameter), options_.amsgrad ? at::zeros_like(parameter) : at::Tensor()};
}

// Parameters without a gradient take no part in the step, and their count stays.
void Adam::fill_lists() {
  lists_.clear();
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& parameter = parameters_[i];
    if (!parameter.grad().defined()) continue;
    Moments& moments = moments_[i];
    if (!moments.step.defined()) moments = begin(parameter);
    lists_.parameters.push_back(parameter);
    lists_.gradients.push_back(aligned_gradient(parameter));
    lists_.averages.push_back(moments.average);
    lists_.squares.push_back(moments.square);
    if (options_.amsgrad) lists_.max_squares.push_back(moments.max_square);
    lists_.steps.push_back(moments.step);
  }
}

void Adam::step(const at::Tensor& found_inf) {
  const c10::NoGradGuard no_grad;
  fill_lists();
  if (lists_.parameters.empty()) return;
  // Before the kernel, which computes the bias corrections from the new count.
  at::_foreach_add_(lists_.steps, 1);
  const auto skip = found_inf.defined() ? std::optional(found_inf) : std::nullopt;
  // Both kernels take the same arguments; lambdas, because the operators are overloaded.
  const auto update = [&](auto kernel) {
    kernel(lists_.parameters, lists_.gradients, lists_.averages, lists_.squares, lists_.max_squares, lists_.steps,
           options_.lr, options_.beta1, options_.beta2, options_.weight_decay, options_.eps, options_.amsgrad,
           options_.maximize, std::nullopt, skip);
  };
  if (decoupled()) {
    update([](auto&&... arguments) { at::_fused_adamw_(arguments...); });
  } else {
    update([](auto&&... arguments) { at::_fused_adam_(arguments...); });
  }
  // A skipped step does not count.
  if (skip) at::_foreach_sub_(lists_.steps, std::vector<at::Tensor>(lists_.steps.size(), found_inf.squeeze()));
  // Gradients are given back now, not at the next step.
  lists_.clear();
}

// torch's names of the state, by which Python's optimiser finds it.
StateMap Adam::parameter_state(size_t index) const {
  const Moments& moments = moments_[index];
  StateMap state;
  if (!moments.step.defined()) return state;
  state.set("step", moments.step);
  state.set("exp_avg", moments.average);
  state.set("exp_avg_sq", moments.square);
  if (moments.max_square.defined()) state.set("max_exp_avg_sq", moments.max_square);
  return state;
}

Status Adam::load_parameter_state(size_t index, const StateMap& state) {
  Moments moments = begin(parameters_[index]);
  // Old files have a plain number here, newer ones a tensor.
  const std::optional<double> step = find_number(state, "step");
  if (!step) return {Code::kData, "the checkpoint's optimizer state lacks 'step'"};
  moments.step.fill_(*step);
  Result<at::Tensor> average = restored(state, "exp_avg", index), square = restored(state, "exp_avg_sq", index);
  MORTISE_RETURN_IF_ERROR(average.status());
  MORTISE_RETURN_IF_ERROR(square.status());
  moments.average = *average;
  moments.square = *square;
  // There only if the run that wrote it had amsgrad.
  if (state.find("max_exp_avg_sq")) {
    Result<at::Tensor> max_square = restored(state, "max_exp_avg_sq", index);
    MORTISE_RETURN_IF_ERROR(max_square.status());
    moments.max_square = *max_square;
  }
  moments_[index] = std::move(moments);
  return {};
}

// All keys of torch's group: load_state_dict in Python takes the group as it is and misses any that is not there.
// None for foreach and fused lets torch choose.
StateMap Adam::group() const {
  auto betas = std::make_shared<StateList>();
  betas->items = {options_.beta1, options_.beta2};
  StateMap group;
  group.set("lr", options_.lr);
  group.set("betas", std::move(betas));
  group.set("eps", options_.eps);
  group.set("weight_decay", options_.weight_decay);
  group.set("amsgrad", options_.amsgrad);
  group.set("maximize", options_.maximize);
  group.set("foreach", std::monostate());
  group.set("capturable", false);
  group.set("differentiable", false);
  group.set("fused", std::monostate());
  group.set("decoupled_weight_decay", decoupled());
  return group;
}

// The file's settings win over the options, as in torch: a resumed run goes on as it began.
void Adam::load_group(const StateMap& group) {
  options_.lr = find_number(group, "lr").value_or(options_.lr);
  options_.eps = find_number(group, "eps").value_or(options_.eps);
  options_.weight_decay = find_number(group, "weight_decay").value_or(options_.weight_decay);
  options_.amsgrad = find_flag(group, "amsgrad").value_or(options_.amsgrad);
  options_.maximize = find_flag(group, "maximize").value_or(options_.maximize);
  const StateValue* value = group.find("betas");
  const auto* betas = value ? std::get_if<std::shared_ptr<StateList>>(value) : nullptr;
  if (!betas || (*betas)->items.size() != 2) return;
  if (const double* beta = std::get_if<double>(&(*betas)->items[0])) options_.beta1 = *beta;
  if (const double* beta = std::get_if<double>(&(*betas)->items[1])) options_.beta2 = *beta;
}

}  // namespace

std::unique_ptr<Optimizer> make_adam(const OptimizerOptions& options, std::vector<at::Tensor> parameters) {
  return std::make_unique<Adam>(options, std::move(parameters));
}

}  // namespace mortise::training
