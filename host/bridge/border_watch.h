// For the doctor alone: sees every call across the border of this process, and may let a service fail.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "mortise/status.h"

namespace mortise::bridge {

// Called on whatever thread makes the call; what it is told is valid until it returns.
class BorderWatch {
 public:
  virtual ~BorderWatch() = default;

  // Around each call of an event, of instance_create, shutdown and instance_destroy, by its name in the interface.
  virtual void entering(const char* what) = 0;
  //   escaped  what an exception said that left the plugin; empty: none did
  virtual void left(const char* what, int64_t elapsed_ns, mortise_status_t code, const std::string& escaped) = 0;

  // Before a service runs ("tensors.create"). What is not MORTISE_OK is returned to the plugin instead.
  virtual mortise_status_t calling(const char* service) = 0;
  // A service has returned an error.
  virtual void refused(const char* service, mortise_status_t code, const std::string& text) = 0;
};

// Null outside the doctor, which sets it before it loads a plugin; a call then costs one comparison.
inline std::atomic<BorderWatch*> border_watch{nullptr};

inline mortise_status_t asked_to_fail(const char* service) {
  BorderWatch* const watch = border_watch.load(std::memory_order_relaxed);
  return watch ? watch->calling(service) : MORTISE_OK;
}

}  // namespace mortise::bridge
