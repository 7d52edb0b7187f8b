// The kinds of things that a plugin makes through the host. The number is part of a handle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mortise::ledger {

// In the order in which unload releases them: what uses others goes first. Never renumber.
enum class Kind : uint8_t { kHook = 1, kJob, kMask, kTensor, kFile, kDict };
inline constexpr std::array kKinds = {Kind::kHook, Kind::kJob, Kind::kMask, Kind::kTensor, Kind::kFile, Kind::kDict};

// "hook", "job", ...
const char* kind_name(Kind kind);
inline constexpr size_t index_of(Kind kind) { return static_cast<size_t>(kind) - 1; }

}  // namespace mortise::ledger
