// Masks are kept the other way round, as what is masked, because that is what masked_fill_ takes in every step.
#include "host/training/masks.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <string>
#include <utility>

namespace mortise::training {

Masks::Masks(std::vector<at::Tensor> parameters) : parameters_(std::move(parameters)), entries_(parameters_.size()) {}

// A plugin may replace its own mask and take over what was left to the model; another's it may not touch.
Status Masks::set(size_t parameter, const at::Tensor& keep, Owner owner) {
  if (parameter >= entries_.size()) {
    return {Code::kPlugin, "there is no parameter number " + std::to_string(parameter) + "; the model has " +
                               std::to_string(entries_.size())};
  }
  at::Tensor& weights = parameters_[parameter];
  Entry& entry = entries_[parameter];
  if (entry.masked.defined() && entry.owner != kModel && entry.owner != owner) {
    return {Code::kPlugin, "parameter number " + std::to_string(parameter) + " is masked by another plugin"};
  }
  if (keep.scalar_type() != at::kBool || keep.sizes() != weights.sizes()) {
    return {Code::kPlugin,
            "the mask of parameter number " + std::to_string(parameter) + " must be bool and of the parameter's shape"};
  }

  const c10::NoGradGuard no_grad;
  if (!entry.masked.defined()) ++live_;
  // logical_not makes a tensor of its own, so that the caller's buffer is free after this.
  entry.masked = keep.to(weights.device()).logical_not();
  entry.owner = owner;
  weights.masked_fill_(entry.masked, 0);
  return {};
}

at::Tensor Masks::get(size_t parameter) const {
  const Entry& entry = entries_[parameter];
  return entry.masked.defined() ? entry.masked.logical_not() : at::Tensor();
}

Masks::Owner Masks::owner(size_t parameter) const { return entries_[parameter].owner; }

// The weights keep their zeros and may grow again.
void Masks::clear(size_t parameter) {
  Entry& entry = entries_[parameter];
  if (!entry.masked.defined()) return;
  entry = Entry();
  --live_;
}

void Masks::keep(size_t parameter) { entries_[parameter].owner = kModel; }

// Before clipping: a masked weight's gradient must not count in the norm.
void Masks::apply_to_gradients() {
  if (!any()) return;
  const c10::NoGradGuard no_grad;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].masked.defined()) continue;
    at::Tensor& gradient = parameters_[i].mutable_grad();
    if (gradient.defined()) gradient.masked_fill_(entries_[i].masked, 0);
  }
}

// After the step as well: momentum and weight decay move a weight whose gradient is zero.
void Masks::apply_to_weights() {
  if (!any()) return;
  const c10::NoGradGuard no_grad;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].masked.defined()) parameters_[i].masked_fill_(entries_[i].masked, 0);
  }
}

void Masks::follow_parameters() {
  for (size_t i = 0; i < entries_.size(); ++i) {
    at::Tensor& masked = entries_[i].masked;
    if (masked.defined() && masked.device() != parameters_[i].device()) masked = masked.to(parameters_[i].device());
  }
}

int64_t Masks::size_bytes(size_t parameter) const {
  const at::Tensor& masked = entries_[parameter].masked;
  return masked.defined() ? static_cast<int64_t>(masked.nbytes()) : 0;
}

}  // namespace mortise::training
