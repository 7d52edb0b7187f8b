// Raw access to tensors in DLPack's form, both directions, without a copy. since 1.1
//
// The structs are DLPack's own, version 1 (dlpack/dlpack.h of the DLPack project): a plugin that uses this service
// includes that header. Strides are always given, in elements.
#pragma once

#include "base.h"

#define MORTISE_DLPACK "mortise.dlpack/1"

struct DLManagedTensorVersioned;

// What becomes of the memory of a tensor that comes in. Never renumber.
enum {
  // copied at once; the deleter is called before import returns
  MORTISE_DLPACK_COPY = 1,
  // used in place; the deleter is called when the last user is gone, at the latest in the plugin's unload: what the
  // host
  // still needs then is copied first
  MORTISE_DLPACK_ADOPT = 2,
};

// GROWABLE.
typedef struct mortise_host_dlpack {
  uint32_t struct_size;
  uint32_t reserved;

  // Describes a tensor in place.
  //   dl_tensor  DLTensor* of the caller's, filled; shape and strides point to memory of the host's. Valid until the
  //              tensor's handle ends: with the event for a borrowed one, else with its release
  //   errors     MORTISE_UNSUPPORTED for a tensor without strides (sparse) or a type that DLPack lacks
  // [train-thread] [load-thread] [job-thread] [backward-thread]
  mortise_status_t (*borrow)(mortise_ctx_t* ctx, mortise_handle_t tensor, void* dl_tensor) MORTISE_NOEXCEPT;

  // Gives a tensor out with an owner of its own.
  //   managed  a thing of kind export until its deleter is called, once, from any thread. Unload takes the memory back
  //            and leaves the struct: a deleter called later does nothing
  // [train-thread] [load-thread] [job-thread] [backward-thread]
  mortise_status_t (*export_tensor)(mortise_ctx_t* ctx, mortise_handle_t tensor,
                                    struct DLManagedTensorVersioned** managed) MORTISE_NOEXCEPT;

  // Takes a tensor in.
  //   managed    read and owned by the host after success; untouched after an error
  //   ownership  MORTISE_DLPACK_COPY or MORTISE_DLPACK_ADOPT
  //   tensor     the caller's until release
  //   errors     MORTISE_INVALID_ARGUMENT: another major version of DLPack, a negative size, no data;
  //              MORTISE_UNSUPPORTED: a device that this run does not use
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*import_tensor)(mortise_ctx_t* ctx, struct DLManagedTensorVersioned* managed, uint32_t ownership,
                                    mortise_handle_t* tensor) MORTISE_NOEXCEPT;
} mortise_host_dlpack_t;
