// Mixed precision: autocast around the forward pass, and the loss scaler of 16-mixed.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "host/core/log.h"
#include "host/core/status.h"
#include "host/training/options.h"
#include "host/training/state_value.h"

namespace mortise::training {

// Autocast on a device type while it lives; nothing without a type. Nests.
class AutocastScope {
 public:
  AutocastScope(at::Device device, std::optional<at::ScalarType> type);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  at::DeviceType device_;
  bool active_;
  bool outer_enabled_ = false;
  at::ScalarType outer_type_ = at::kFloat;
};

// torch's GradScaler with its defaults, without waiting for the device: whether a step is skipped is known to the
// optimizer's kernel only.
class LossScaler {
 public:
  explicit LossScaler(at::Device device);

  at::Tensor scale(const at::Tensor& loss) const { return loss.mul(scale_); }
  // Divides gradients by the scale.
  //   returns  [1] float32: 1 if a gradient was not finite, and the step is to be skipped
  at::Tensor unscale(const std::vector<at::Tensor>& parameters);
  // After the step: halves the scale if it was skipped, doubles it after 2000 good ones in a row.
  void update(const at::Tensor& found_inf);

  StateMap state_dict() const;
  Status load_state_dict(const StateMap& state);

 private:
  at::Tensor scale_;           // [1] float32
  at::Tensor growth_tracker_;  // [1] int32
  double growth_factor_ = 2.0, backoff_factor_ = 0.5;
  int64_t growth_interval_ = 2000;
};

// A run's precision on its device. 16-mixed on the CPU becomes bf16-mixed, with a warning.
class MixedPrecision {
 public:
  MixedPrecision(Precision precision, at::Device device, Log& log);

  AutocastScope forward_scope() const { return {device_, type_}; }
  LossScaler* scaler() { return scaler_ ? &*scaler_ : nullptr; }  // null: losses are not scaled

 private:
  at::Device device_;
  std::optional<at::ScalarType> type_;
  std::optional<LossScaler> scaler_;
};

}  // namespace mortise::training
