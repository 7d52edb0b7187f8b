// The moments of a run, in C++.
#pragma once

#include <mortise/cpp/text.hpp>
#include <mortise/event.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace mortise {

namespace detail {
// A copy of a growable struct; what its writer does not know is zero.
template <class Struct>
void copy_known(Struct& target, const Struct& source) noexcept {
  std::memcpy(&target, &source, std::min<std::size_t>(source.struct_size, sizeof(Struct)));
}
}  // namespace detail

// Where the run stands; its fields are those of mortise_event_t: epoch, global_step, batch_idx, ...
struct Event : mortise_event_t {
  explicit Event(const mortise_event_t& raw) noexcept : mortise_event_t{} {
    detail::copy_known<mortise_event_t>(*this, raw);
  }
  bool in_fit() const noexcept { return function == MORTISE_STAGE_TRAIN; }
  bool in_sanity_check() const noexcept { return stage == MORTISE_STAGE_SANITY_CHECK; }
};

// Why a run ends early.
struct Failure {
  explicit Failure(const mortise_exception_event_t& raw) noexcept {
    mortise_exception_event_t known{};
    detail::copy_known(known, raw);
    interrupted = known.interrupted != 0;
    message = to_view(known.message);
  }
  bool interrupted = false;  // the user or a signal asked for it
  std::string_view message;  // borrowed until the event returns
};

// A checkpoint that was written or read.
struct CheckpointFile {
  explicit CheckpointFile(const mortise_checkpoint_event_t& raw) noexcept {
    mortise_checkpoint_event_t known{};
    detail::copy_known(known, raw);
    weights_only = known.weights_only != 0;
    path = to_view(known.path);
  }
  bool weights_only = false;  // without optimiser and callback states
  std::string_view path;      // absolute; borrowed until the event returns
};

}  // namespace mortise
