// The last look at what a pickle built, before anybody walks it recursively.
#pragma once

#include <vector>

#include "host/checkpoint/value.h"
#include "host/core/status.h"

namespace mortise::checkpoint {

// Refuses containers that hold themselves (unsupported), nest deeper than a reader should follow (too large) or have
// keys that Python cannot hash (corrupt). Of a key that was set twice, the later value counts.
//   made  every container of the pickle
Status finish_values(const std::vector<Value>& made);

// Empties every container, so that neither cycles nor deep nesting outlive or overflow anything.
void take_apart(const std::vector<Value>& made);

}  // namespace mortise::checkpoint
