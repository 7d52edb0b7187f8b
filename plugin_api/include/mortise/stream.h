// Streams of the run's device and events on them. since 1.1
//
// In a run on the CPU every function but release answers MORTISE_UNSUPPORTED.
#pragma once

#include "base.h"

#define MORTISE_STREAMS "mortise.streams/1"

// Flags of a device event.
enum {
  // takes the time, for elapsed
  MORTISE_EVENT_TIMING = 1u << 0,
};

// GROWABLE.
typedef struct mortise_host_streams {
  uint32_t struct_size;
  uint32_t reserved;

  // Borrows the stream that training uses on this thread, until the event returns.
  // [train-thread] [backward-thread]
  mortise_status_t (*current)(mortise_ctx_t* ctx, mortise_handle_t* stream) MORTISE_NOEXCEPT;

  // Makes a stream.
  //   high_priority  1: its work goes before that of others
  //   stream         a thing of kind stream, the caller's until release
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*create)(mortise_ctx_t* ctx, uint32_t high_priority, mortise_handle_t* stream) MORTISE_NOEXCEPT;

  // The driver's own handle, cudaStream_t, to launch kernels with. Valid until the stream's handle ends.
  // [any-thread]
  mortise_status_t (*native)(mortise_ctx_t* ctx, mortise_handle_t stream, void** native) MORTISE_NOEXCEPT;

  // Waits until all work of a stream is done.
  //   errors  MORTISE_DEVICE_FAILED with the name of the error of such work
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*synchronize)(mortise_ctx_t* ctx, mortise_handle_t stream) MORTISE_NOEXCEPT;

  // Gives a stream or a device event back, after its work is done.
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*release)(mortise_ctx_t* ctx, mortise_handle_t stream_or_event) MORTISE_NOEXCEPT;

  // Says that a tensor is in use on a stream: its memory is not given to others before that work is done.
  // [train-thread] [job-thread] [backward-thread]
  mortise_status_t (*record_use)(mortise_ctx_t* ctx, mortise_handle_t stream, mortise_handle_t tensor) MORTISE_NOEXCEPT;

  // Makes a device event.
  //   flags  MORTISE_EVENT_TIMING
  //   event  a thing of kind device event, the caller's until release
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*create_event)(mortise_ctx_t* ctx, uint32_t flags, mortise_handle_t* event) MORTISE_NOEXCEPT;

  // Queues the event: it is done when all earlier work of the stream is.
  // [train-thread] [load-thread] [job-thread] [backward-thread]
  mortise_status_t (*record)(mortise_ctx_t* ctx, mortise_handle_t event, mortise_handle_t stream) MORTISE_NOEXCEPT;

  // Lets later work of a stream wait for the event, not the caller.
  // [train-thread] [load-thread] [job-thread] [backward-thread]
  mortise_status_t (*wait)(mortise_ctx_t* ctx, mortise_handle_t stream, mortise_handle_t event) MORTISE_NOEXCEPT;

  // Whether the event is done.
  //   done  1 or 0
  // [any-thread]
  mortise_status_t (*query)(mortise_ctx_t* ctx, mortise_handle_t event, uint32_t* done) MORTISE_NOEXCEPT;

  // Time between two events, both with MORTISE_EVENT_TIMING; waits for the second.
  //   elapsed_ms  milliseconds
  //   errors      MORTISE_WRONG_STATE if one was not recorded or takes no time
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*elapsed)(mortise_ctx_t* ctx, mortise_handle_t start, mortise_handle_t end,
                              double* elapsed_ms) MORTISE_NOEXCEPT;
} mortise_host_streams_t;
