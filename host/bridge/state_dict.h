// A dictionary of a checkpoint, lent to a plugin while it saves or loads its state.
#pragma once

#include "host/ledger/ledger.h"
#include "host/training/state_value.h"

namespace mortise::bridge {

// Refers to the map, which the trainer owns for the length of the call; the handle is borrowed and ends before it.
struct DictResource : ledger::Resource {
  DictResource(training::StateMap& lent, bool may_write) : map(lent), writable(may_write) {}
  training::StateMap& map;
  bool writable;
};

}  // namespace mortise::bridge
