// Errors in C++: a service that fails throws, and no exception crosses the border.
#pragma once

#include <mortise/status.h>

#include <stdexcept>
#include <string>

namespace mortise {

// Name of a status code, as in status.h without its prefix.
inline const char* status_name(mortise_status_t code) noexcept {
  switch (code) {
    case MORTISE_OK:
      return "OK";
    case MORTISE_INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case MORTISE_NOT_FOUND:
      return "NOT_FOUND";
    case MORTISE_WRONG_STATE:
      return "WRONG_STATE";
    case MORTISE_WRONG_THREAD:
      return "WRONG_THREAD";
    case MORTISE_STALE_HANDLE:
      return "STALE_HANDLE";
    case MORTISE_BAD_HANDLE:
      return "BAD_HANDLE";
    case MORTISE_TOO_SMALL:
      return "TOO_SMALL";
    case MORTISE_UNSUPPORTED:
      return "UNSUPPORTED";
    case MORTISE_OUT_OF_MEMORY:
      return "OUT_OF_MEMORY";
    case MORTISE_IO:
      return "IO";
    case MORTISE_CANCELLED:
      return "CANCELLED";
    case MORTISE_PLUGIN_FAILED:
      return "PLUGIN_FAILED";
    case MORTISE_HOST_FAILED:
      return "HOST_FAILED";
    default:
      return "unknown status";
  }
}

// What a service answered if not MORTISE_OK. Also for a plugin's own failures: what() becomes the run's message.
class Error : public std::runtime_error {
 public:
  Error(mortise_status_t code, const std::string& message) : std::runtime_error(message), code_(code) {}
  explicit Error(const std::string& message) : Error(MORTISE_PLUGIN_FAILED, message) {}

  mortise_status_t code() const noexcept { return code_; }

 private:
  mortise_status_t code_;
};

}  // namespace mortise
