// The one place where what libtorch and the standard library throw becomes a Status.
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <stdexcept>
#include <utility>

#include "host/core/status.h"

namespace mortise::training {

// A Status on its way through code that knows exceptions only, such as libtorch's backward pass.
class StatusError : public std::runtime_error {
 public:
  explicit StatusError(Status failure) : std::runtime_error(failure.message()), status_(std::move(failure)) {}
  const Status& status() const { return status_; }

 private:
  Status status_;
};

// Runs a function that returns a Status.
template <typename Function>
Status guard(Function&& run) noexcept {
  try {
    return run();
  } catch (const StatusError& error) {
    return error.status();
  } catch (const c10::Error& error) {
    return {Code::kTorch, error.what_without_backtrace()};
  } catch (const std::exception& error) {
    return {Code::kTorch, error.what()};
  }
}

}  // namespace mortise::training
