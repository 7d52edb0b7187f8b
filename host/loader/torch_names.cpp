#include "host/loader/torch_names.h"

#include <boost/core/demangle.hpp>
#include <string_view>

namespace mortise::loader {

bool is_torch_library(const std::string& name) {
  return name.starts_with("libtorch") || name.starts_with("libc10") || name.starts_with("libaoti");
}

// A readable name may begin with its return type or with words such as "typeinfo for"; "format::" is not "at::".
bool is_torch_symbol(const std::string& readable) {
  for (const std::string_view part : {"at::", "c10::", "torch::", "aoti_torch_"}) {
    const size_t at = readable.find(part);
    if (at == 0 || (at != std::string::npos && readable[at - 1] == ' ')) return true;
  }
  return false;
}

std::string readable_symbol(const std::string& symbol) { return boost::core::demangle(symbol.c_str()); }

}  // namespace mortise::loader
