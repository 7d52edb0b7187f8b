// Python's names of element types and of their storage classes.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <string>

namespace mortise::checkpoint {

// "float32"; null for a type that a checkpoint does not hold.
const char* dtype_name(at::ScalarType dtype);
std::optional<at::ScalarType> dtype_named(const std::string& name);

// "FloatStorage"; null for a type that has none and is stored as plain bytes.
const char* storage_name(at::ScalarType dtype);
std::optional<at::ScalarType> dtype_of_storage(const std::string& name);

// Width of the numbers whose order of bytes a machine decides: 4 for complex64.
size_t swapped_bytes(at::ScalarType dtype);

}  // namespace mortise::checkpoint
