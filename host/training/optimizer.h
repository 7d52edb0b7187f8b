// SGD, Adam and AdamW over fused kernels, with torch's options, state names and results.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/core/status.h"
#include "host/training/state_value.h"

namespace mortise::training {

enum class OptimizerKind { kSgd, kAdam, kAdamW };

// torch.optim's options; those of another kind are ignored.
struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::kSgd;
  double lr = 1e-3;
  double weight_decay = 0;                        // AdamW: 0.01 in torch; set by whoever fills this
  double momentum = 0;                            // SGD
  double dampening = 0;                           // SGD
  bool nesterov = false;                          // SGD; needs momentum and no dampening
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;  // Adam, AdamW
  bool amsgrad = false;                           // Adam, AdamW
  bool maximize = false;
};

// Refuses what torch refuses, naming the option.
Status check(const OptimizerOptions& options);

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // One step over the parameters that have a gradient.
  //   found_inf  [1] float32 on the parameters' device: not 0 skips the step there, without a wait; undefined: no skip
  virtual void step(const at::Tensor& found_inf = {}) = 0;
  // Drops gradients (torch's set_to_none).
  virtual void zero_grad() = 0;
  virtual double lr() const = 0;
  virtual void set_lr(double lr) = 0;
  virtual const std::vector<at::Tensor>& parameters() const = 0;

  // {"state": {index: {...}}, "param_groups": [{...}]}, as torch's state_dict.
  virtual StateMap state_dict() const = 0;
  virtual Status load_state_dict(const StateMap& state) = 0;
};

// parameters  that require a gradient, in the model's order, on their device
std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::vector<at::Tensor> parameters);

}  // namespace mortise::training
