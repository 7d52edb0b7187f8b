// Texts out of a plugin's memory, which goes before they do.
#pragma once

#include <string>
#include <vector>

#include "mortise/base.h"

namespace mortise::bridge {

// A mortise_str_t is not terminated, and may be null where it is empty.
inline std::string copied(const mortise_str_t& text) { return {text.ptr ? text.ptr : "", text.ptr ? text.len : 0}; }

// Of mortise_str_t, with their writer's stride.
inline std::vector<std::string> copied(const mortise_span_t& texts) {
  std::vector<std::string> all;
  for (uint64_t i = 0; i < texts.count; ++i)
    all.push_back(
        copied(*reinterpret_cast<const mortise_str_t*>(static_cast<const char*>(texts.ptr) + i * texts.stride)));
  return all;
}

}  // namespace mortise::bridge
