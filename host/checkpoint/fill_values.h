// What a pickle adds to a container or an inert object after it was made. All errors are faults.
#pragma once

#include <vector>

#include "host/checkpoint/value.h"
#include "host/core/status.h"

namespace mortise::checkpoint {

// APPEND, APPENDS: a list, or a list-like class.
Status append_to(const Value& target, std::vector<Value> values);
// SETITEM, SETITEMS: a dictionary, or a dict-like class; keys and values in turn.
Status set_items_of(const Value& target, std::vector<Value> values);
// ADDITEMS: a set.
Status add_to_set(const Value& target, std::vector<Value> values);
// BUILD: attributes of a dictionary, or the state of a thing that is kept as it is described.
Status build_on(const Value& target, const Value& state);

}  // namespace mortise::checkpoint
