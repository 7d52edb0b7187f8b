// Keeps gradients small: torch's clip_grad_norm_ and clip_grad_value_.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace mortise::training {

// Scales all gradients in place by min(1, max_norm / (norm + 1e-6)), norm being their common 2-norm. Waits for no
// device. A norm that is infinite makes finite gradients 0 and infinite ones NaN; NaN makes all NaN.
//   parameters  those without a gradient are passed over
//   returns     the norm before clipping, []; 0 without gradients
at::Tensor clip_grad_norm(const std::vector<at::Tensor>& parameters, double max_norm);

// Clamps each gradient to [-clip_value, clip_value]; NaN stays.
void clip_grad_value(const std::vector<at::Tensor>& parameters, double clip_value);

}  // namespace mortise::training
