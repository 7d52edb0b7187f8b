// The classes and functions that a checkpoint may name, and what stands for calling them. None is ever run.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <string>

#include "host/checkpoint/value.h"
#include "host/core/status.h"

namespace mortise::checkpoint {

// The name as a value: an Object that was not called.
//   errors  code: not data; unsupported: of torch, but not of a training state
Result<Value> name_global(const std::string& module, const std::string& name);

// REDUCE: what calling a named thing would give.
Result<Value> call_global(const Value& callable, const Value& arguments);
// NEWOBJ: an instance whose content follows.
Result<Value> make_instance(const Value& cls, const Value& arguments);

// The elements of a storage of this class (bytes, if it is untyped); none if it is no such class.
std::optional<at::ScalarType> dtype_of_storage_class(const Object& cls);

}  // namespace mortise::checkpoint
