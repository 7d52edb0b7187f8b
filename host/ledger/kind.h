// The kinds of things that a plugin makes through the host. The number is part of a handle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mortise::ledger {

// In the order in which unload releases them: what calls into the plugin first, then what uses others before what is
// used.
enum class Kind : uint8_t {
  kHook = 1,
  kTimer,
  kSubscription,
  kService,
  kUse,
  kJob,
  kOp,
  kExport,
  kMask,
  kTensor,
  kGenerator,
  kBlock,
  kKernel,
  kModule,
  kDeviceEvent,
  kStream,
  kFile,
  kDict,
};
inline constexpr std::array kKinds = {
    Kind::kHook,   Kind::kTimer,  Kind::kSubscription, Kind::kService, Kind::kUse,       Kind::kJob,
    Kind::kOp,     Kind::kExport, Kind::kMask,         Kind::kTensor,  Kind::kGenerator, Kind::kBlock,
    Kind::kKernel, Kind::kModule, Kind::kDeviceEvent,  Kind::kStream,  Kind::kFile,      Kind::kDict};

// "hook", "job", ...
const char* kind_name(Kind kind);
inline constexpr size_t index_of(Kind kind) { return static_cast<size_t>(kind) - 1; }

}  // namespace mortise::ledger
