// What the optimisers over fused kernels share: one parameter group, and torch's layout of the state.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "host/training/optimizer.h"

namespace mortise::training {

class FusedOptimizer : public Optimizer {
 public:
  FusedOptimizer(const OptimizerOptions& options, std::vector<at::Tensor> parameters);

  void zero_grad() override;
  double lr() const override { return options_.lr; }
  void set_lr(double lr) override { options_.lr = lr; }
  const std::vector<at::Tensor>& parameters() const override { return parameters_; }
  StateMap state_dict() const override;
  Status load_state_dict(const StateMap& state) override;

 protected:
  // Named state of a parameter; empty: it was never stepped.
  virtual StateMap parameter_state(size_t index) const = 0;
  virtual Status load_parameter_state(size_t index, const StateMap& state) = 0;
  virtual void clear_state() = 0;
  // The options under torch's names, and back. An option that the map lacks keeps its value.
  virtual StateMap group() const = 0;
  virtual void load_group(const StateMap& group) = 0;

  // The gradient with the parameter's strides: the kernels read both as flat memory.
  static at::Tensor aligned_gradient(const at::Tensor& parameter);
  // A copy of a stored tensor with a parameter's shape, type, place and strides.
  Result<at::Tensor> restored(const StateMap& state, const std::string& name, size_t index) const;

  OptimizerOptions options_;
  std::vector<at::Tensor> parameters_;
};

std::unique_ptr<Optimizer> make_sgd(const OptimizerOptions& options, std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> make_adam(const OptimizerOptions& options, std::vector<at::Tensor> parameters);

}  // namespace mortise::training
