// Mixed precision with libtorch's own autocast, and torch.amp.GradScaler's arithmetic without its waiting.
#include "host/training/precision.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

namespace mortise::training {
namespace {

// GradScaler's default.
constexpr double kInitialScale = 65536.0;

}  // namespace

AutocastScope::AutocastScope(at::Device device, std::optional<at::ScalarType> type)
    : device_(device.type()), active_(type.has_value()) {
  if (!active_) return;
  // Scopes may nest: what was there before comes back.
  outer_enabled_ = at::autocast::is_autocast_enabled(device_);
  outer_type_ = at::autocast::get_autocast_dtype(device_);
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, *type);
  // The nesting counts scopes of all devices: weights' copies are cached until the outermost one ends.
  at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
  if (!active_) return;
  // The outermost scope forgets the weights' copies: the optimizer is about to change the weights.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_dtype(device_, outer_type_);
  at::autocast::set_autocast_enabled(device_, outer_enabled_);
}

// Both on the device, so that neither growing nor backing off needs the host.
LossScaler::LossScaler(at::Device device)
    : scale_(at::full({1}, kInitialScale, at::TensorOptions(device).dtype(at::kFloat))),
      growth_tracker_(at::zeros({1}, at::TensorOptions(device).dtype(at::kInt))) {}

// In place. found_inf is 1 where any gradient is not finite; the optimiser's kernel reads it and skips the step.
at::Tensor LossScaler::unscale(const std::vector<at::Tensor>& parameters) {
  const c10::NoGradGuard no_grad;
  at::Tensor found_inf = at::zeros({1}, scale_.options());
  std::vector<at::Tensor> gradients;
  gradients.reserve(parameters.size());
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  // The reciprocal in double, as torch takes it.
  const at::Tensor inverse = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  if (!gradients.empty()) at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf, inverse);
  return found_inf;
}

void LossScaler::update(const at::Tensor& found_inf) {
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf, growth_factor_, backoff_factor_, growth_interval_);
}

// GradScaler's names. Reading the two tensors waits for the device.
StateMap LossScaler::state_dict() const {
  StateMap state;
  state.set("scale", scale_.item<double>());
  state.set("growth_factor", growth_factor_);
  state.set("backoff_factor", backoff_factor_);
  state.set("growth_interval", growth_interval_);
  state.set("_growth_tracker", growth_tracker_.item<int64_t>());
  return state;
}

Status LossScaler::load_state_dict(const StateMap& state) {
  const auto scale = find_number(state, "scale"), growth = find_number(state, "growth_factor");
  const auto backoff = find_number(state, "backoff_factor"), interval = find_number(state, "growth_interval");
  const auto tracker = find_number(state, "_growth_tracker");
  if (!scale || !growth || !backoff || !interval || !tracker) {
    return {Code::kData,
            "the checkpoint's loss scaler lacks one of scale, growth_factor, backoff_factor, "
            "growth_interval, _growth_tracker"};
  }
  scale_.fill_(*scale);
  growth_tracker_.fill_(*tracker);
  growth_factor_ = *growth;
  backoff_factor_ = *backoff;
  growth_interval_ = static_cast<int64_t>(*interval);
  return {};
}

MixedPrecision::MixedPrecision(Precision precision, at::Device device, Log& log) : device_(device) {
  // float16 would need a scaler, and CPUs are slow in it; Lightning changes over in the same way.
  if (precision == Precision::k16Mixed && device.is_cpu()) {
    log.warning("precision 16-mixed needs a GPU; bf16-mixed is used on the CPU");
    precision = Precision::kBf16Mixed;
  }
  if (precision == Precision::kBf16Mixed) type_ = at::kBFloat16;
  if (precision == Precision::k16Mixed) {
    type_ = at::kHalf;
    scaler_.emplace(device);
  }
}

}  // namespace mortise::training
