// Device code as bytes: the host loads it, launches it and unloads it. since 1.1
//
// A plugin that ships its kernels so has no device code linked and leaves none behind. In a run on the CPU every
// function but release answers MORTISE_UNSUPPORTED.
#pragma once

#include "base.h"

#define MORTISE_MODULES "mortise.modules/1"

// How to launch a kernel. GROWABLE.
typedef struct mortise_launch {
  uint32_t struct_size;
  // dynamic shared memory
  uint32_t shared_bytes;
  // blocks: x, y, z
  uint32_t grid[3];
  // threads of a block: x, y, z
  uint32_t block[3];
  // stream to launch on (stream.h); 0: the one that training uses on this thread
  mortise_handle_t stream;
  // [n_args] addresses of the arguments, in the kernel's order; copied before the call returns
  void* const* args;
  uint32_t n_args;
  uint32_t reserved;
} mortise_launch_t;

// What a kernel needs. GROWABLE; the caller sets struct_size.
typedef struct mortise_kernel_info {
  uint32_t struct_size;
  uint32_t max_threads_per_block;
  uint32_t registers;
  uint32_t static_shared_bytes;
  // number of arguments
  uint32_t n_args;
  uint32_t reserved;
} mortise_kernel_info_t;

// GROWABLE.
typedef struct mortise_host_modules {
  uint32_t struct_size;
  uint32_t reserved;

  // Loads device code: a cubin, a fat binary or PTX text. Copied.
  //   module  a thing of kind module, the caller's until release
  //   errors  MORTISE_INVALID_ARGUMENT with the compiler's log for PTX that it refuses; MORTISE_UNSUPPORTED if there is
  //           no code for this device
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*load)(mortise_ctx_t* ctx, const void* bytes, uint64_t size_bytes,
                           mortise_handle_t* module) MORTISE_NOEXCEPT;

  // Unloads a module after the work that uses it. Its kernels are stale from then on.
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*release)(mortise_ctx_t* ctx, mortise_handle_t module) MORTISE_NOEXCEPT;

  // Finds a kernel.
  //   name    as it is in the code: extern "C" names are as written, others mangled
  //   kernel  ends with its module; needs no release
  //   errors  MORTISE_NOT_FOUND; the text lists the kernels that there are
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*kernel)(mortise_ctx_t* ctx, mortise_handle_t module, mortise_str_t name,
                             mortise_handle_t* kernel) MORTISE_NOEXCEPT;

  // Fills info.
  // [any-thread]
  mortise_status_t (*kernel_info)(mortise_ctx_t* ctx, mortise_handle_t kernel,
                                  mortise_kernel_info_t* info) MORTISE_NOEXCEPT;

  // Queues a kernel.
  //   errors  MORTISE_INVALID_ARGUMENT for a number of arguments that is not the kernel's, or sizes the device refuses
  // [train-thread] [load-thread] [job-thread] [backward-thread]
  mortise_status_t (*launch)(mortise_ctx_t* ctx, mortise_handle_t kernel,
                             const mortise_launch_t* launch) MORTISE_NOEXCEPT;
} mortise_host_modules_t;
