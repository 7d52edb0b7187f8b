// Everything that a checkpoint holds of a run, as values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/training/model.h"
#include "host/training/state_value.h"

namespace mortise::training {

struct RunState {
  int64_t epoch = 0;  // index of the running epoch; finished epochs once training has ended
  int64_t global_step = 0;
  bool weights_only = false;  // the three maps below are absent then
  StateDict state_dict;
  StateMap loops;              // "fit_loop" and the others, Lightning's layout
  StateList optimizer_states;  // one map: {"state": {...}, "param_groups": [...]}
  StateMap callbacks;          // state key -> map
  StateMap precision;          // "MixedPrecision" of 16-mixed; empty otherwise
};

}  // namespace mortise::training
