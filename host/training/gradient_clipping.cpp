// torch.nn.utils.clip_grad_norm_ and clip_grad_value_, over all gradients at once and without waiting for the device.
#include "host/training/gradient_clipping.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/_foreach_clamp_max.h>
#include <ATen/ops/_foreach_clamp_min.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

namespace mortise::training {
namespace {

std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> gradients;
  gradients.reserve(parameters.size());
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  return gradients;
}

}  // namespace

at::Tensor clip_grad_norm(const std::vector<at::Tensor>& parameters, double max_norm) {
  const c10::NoGradGuard no_grad;
  const std::vector<at::Tensor> gradients = gradients_of(parameters);
  if (gradients.empty()) return at::zeros({});
  // The norm of the norms is the norm of all elements together.
  const at::Tensor norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients)));
  // Multiplied even where the factor is 1: asking first would wait for the device.
  const at::Tensor factor = norm.add(1e-6).reciprocal().mul(max_norm).clamp_max(1.0);
  at::_foreach_mul_(gradients, factor);
  return norm;
}

void clip_grad_value(const std::vector<at::Tensor>& parameters, double clip_value) {
  const c10::NoGradGuard no_grad;
  const std::vector<at::Tensor> gradients = gradients_of(parameters);
  if (gradients.empty()) return;
  at::_foreach_clamp_min_(gradients, -clip_value);
  at::_foreach_clamp_max_(gradients, clip_value);
}

}  // namespace mortise::training
