// The layout of Lightning's .ckpt files.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/checkpoint/value.h"
#include "host/core/status.h"

namespace mortise::checkpoint {

// Whose layout is written. Lightning migrates files of versions below 2.0 and warns of newer ones than itself.
constexpr const char* kLightningVersion = "2.6.0";

// Values that are None are absent from the file.
struct LightningCheckpoint {
  int64_t epoch = 0;  // index of the running epoch
  int64_t global_step = 0;
  std::vector<std::pair<std::string, at::Tensor>> state_dict;
  Value loops;             // dict: "fit_loop", "validate_loop", "test_loop", "predict_loop"
  Value optimizer_states;  // list of {"state", "param_groups"}; None: weights only
  Value callbacks;         // dict: state key -> dict; not written if there are no optimizer_states
  Value precision;         // dict: the gradient scaler's state, under "MixedPrecision"
  Value hyper_parameters;  // dict of plain values
};

Value to_value(const LightningCheckpoint& checkpoint);

// Takes Lightning's layout, or a plain state_dict as its weights.
//   errors  kData: neither of them, or a field of another type, by name
Result<LightningCheckpoint> from_value(const Value& root);

}  // namespace mortise::checkpoint
