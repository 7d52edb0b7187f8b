// Lines for the user, and the text of an error.
#pragma once

#include "base.h"

#define MORTISE_LOG "mortise.log/1"

// Severity of a line. Never renumber.
enum {
  MORTISE_LOG_DEBUG = 1,
  MORTISE_LOG_INFO = 2,
  MORTISE_LOG_WARNING = 3,
  MORTISE_LOG_ERROR = 4,
};

// GROWABLE.
typedef struct mortise_host_log {
  uint32_t struct_size;
  uint32_t reserved;

  // Writes one line; the host puts the plugin's name before it. Works around the progress bar.
  //   errors  MORTISE_INVALID_ARGUMENT for an unknown level or bad UTF-8
  // [any-thread]
  mortise_status_t (*write)(mortise_ctx_t* ctx, uint32_t level, mortise_str_t message) MORTISE_NOEXCEPT;

  // Sets the text that belongs to the error which this call is about to return to the host. Copied.
  // [any-thread]
  void (*set_error)(mortise_ctx_t* ctx, mortise_str_t message) MORTISE_NOEXCEPT;

  // The text of the newest error that a service returned on this thread.
  //   message  valid until the next service call on this thread
  // [any-thread]
  void (*last_error)(mortise_ctx_t* ctx, mortise_str_t* message) MORTISE_NOEXCEPT;
} mortise_host_log_t;
