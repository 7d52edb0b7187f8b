// Timers: calls between two batches once a time has passed, so that a plugin needs no thread to wait in. since 1.1
#pragma once

#include "base.h"

#define MORTISE_TIMERS "mortise.timers/1"

// What is called; an error ends the run as one from an event does. Services of an event work in it.
// [train-thread]
typedef mortise_status_t (*mortise_timer_fn_t)(void* user, mortise_handle_t timer) MORTISE_NOEXCEPT;

// GROWABLE.
typedef struct mortise_host_timers {
  uint32_t struct_size;
  uint32_t reserved;

  // Starts a timer. Times that pass within one batch are one call.
  //   interval_ns  nanoseconds, at least 1: between the calls, and before the first
  //   repeat       0: one call, after which the timer is released
  //   timer        a thing of kind timer, the caller's until release
  // [train-thread] [load-thread]
  mortise_status_t (*start)(mortise_ctx_t* ctx, uint64_t interval_ns, uint32_t repeat, mortise_timer_fn_t run,
                            void* user, mortise_handle_t* timer) MORTISE_NOEXCEPT;

  // Ends a timer, also from inside its own call.
  // [train-thread] [load-thread]
  mortise_status_t (*release)(mortise_ctx_t* ctx, mortise_handle_t timer) MORTISE_NOEXCEPT;
} mortise_host_timers_t;
