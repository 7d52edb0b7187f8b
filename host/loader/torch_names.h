// Telling libtorch's libraries and symbols from others, by name.
#pragma once

#include <string>

namespace mortise::loader {

// "libtorch_cpu.so", "libc10.so".
bool is_torch_library(const std::string& name);

// Of a readable name: "at::Tensor::size(long) const", "typeinfo for c10::Error", "aoti_torch_delete_tensor_object".
bool is_torch_symbol(const std::string& readable);

// A symbol as people write it; one that is not C++'s stays as it is.
std::string readable_symbol(const std::string& symbol);

}  // namespace mortise::loader
