// Blocks of memory that the host owns: plain, pinned and on the device. since 1.1
//
// For what is no tensor: a kernel's scratch space, a staging buffer. Unload frees what is left.
#pragma once

#include "base.h"

#define MORTISE_MEMORY "mortise.memory/1"

// Where a block lies. Never renumber.
enum {
  MORTISE_MEMORY_HOST = 1,
  // of the host's memory, page-locked: the device copies to and from it without a wait. Plain in a run on the CPU
  MORTISE_MEMORY_PINNED = 2,
  // of the run's device
  MORTISE_MEMORY_DEVICE = 3,
};

// GROWABLE.
typedef struct mortise_host_memory {
  uint32_t struct_size;
  uint32_t reserved;

  // Makes a block; its content is undefined. Its address is a multiple of 256 on a device and of 64 elsewhere.
  //   where       MORTISE_MEMORY_*
  //   size_bytes  at least 1
  //   block       a thing of kind block, the caller's until release
  //   errors      MORTISE_OUT_OF_MEMORY; MORTISE_UNSUPPORTED for DEVICE in a run on the CPU
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*allocate)(mortise_ctx_t* ctx, uint32_t where, uint64_t size_bytes,
                               mortise_handle_t* block) MORTISE_NOEXCEPT;

  // Gives a block back. Work that streams of this plugin have queued on it is waited for.
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*release)(mortise_ctx_t* ctx, mortise_handle_t block) MORTISE_NOEXCEPT;

  // Where a block is.
  //   address     valid until release
  //   size_bytes  may be null
  // [any-thread]
  mortise_status_t (*address)(mortise_ctx_t* ctx, mortise_handle_t block, void** address,
                              uint64_t* size_bytes) MORTISE_NOEXCEPT;

  // Copies bytes between blocks, in whatever direction.
  //   stream  on which it is queued (stream.h); 0: done when the call returns
  //   errors  MORTISE_INVALID_ARGUMENT for a range past an end
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*copy)(mortise_ctx_t* ctx, mortise_handle_t target, uint64_t target_offset, mortise_handle_t source,
                           uint64_t source_offset, uint64_t size_bytes, mortise_handle_t stream) MORTISE_NOEXCEPT;
} mortise_host_memory_t;
