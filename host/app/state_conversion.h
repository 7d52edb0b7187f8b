// The trainer's plain values as a checkpoint's, and back.
#pragma once

#include "host/checkpoint/value.h"
#include "host/training/state_value.h"

namespace mortise::app {

checkpoint::Value to_value(const training::StateMap& map);
checkpoint::Value to_value(const training::StateList& list);

// None, tuples as lists and dictionaries with other keys than strings and integers lose what the trainer has no use
// for.
training::StateMap to_state(const checkpoint::Dict& dict);
training::StateList to_state(const checkpoint::List& list);

}  // namespace mortise::app
