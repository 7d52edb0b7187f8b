// The one place where what libtorch and the standard library throw becomes a Status.
#pragma once

#include <c10/util/Exception.h>

#include <exception>

#include "host/core/status.h"

namespace mortise::training {

// Runs a function that returns a Status.
template <typename Function>
Status guard(Function&& run) noexcept {
  try {
    return run();
  } catch (const c10::Error& error) {
    return {Code::kTorch, error.what_without_backtrace()};
  } catch (const std::exception& error) {
    return {Code::kTorch, error.what()};
  }
}

}  // namespace mortise::training
