// Reads a pickle without running it: opcodes build values, names of classes and functions are looked up in a list.
#pragma once

#include <string_view>

#include "host/checkpoint/tensor_builder.h"
#include "host/checkpoint/value.h"
#include "host/core/status.h"

namespace mortise::checkpoint {

// The object of a pickle of protocol 2 to 5. What follows its end is not looked at. All errors are faults, but for
// those of `storages`. May throw what libtorch throws.
Result<Value> unpickle(std::string_view pickle, StorageSource& storages);

}  // namespace mortise::checkpoint
