// Tensors by handle. The host owns each one, counts it for the plugin and frees what is left at unload.
#pragma once

#include "base.h"

#define MORTISE_TENSORS "mortise.tensors/1"

// Element types; the numbers are ours. Never renumber.
enum {
  MORTISE_BOOL = 1,
  MORTISE_UINT8 = 2,
  MORTISE_INT8 = 3,
  MORTISE_INT16 = 4,
  MORTISE_INT32 = 5,
  MORTISE_INT64 = 6,
  MORTISE_FLOAT16 = 7,
  MORTISE_BFLOAT16 = 8,
  MORTISE_FLOAT32 = 9,
  MORTISE_FLOAT64 = 10,
  // a type of libtorch's without a number here: complex, quantised
  MORTISE_OTHER_TYPE = 255,
};
typedef uint32_t mortise_dtype_t;

// Where a tensor lies. Never renumber.
enum {
  MORTISE_CPU = 1,
  MORTISE_CUDA = 2,
};

// Most dimensions that a shape in this interface holds.
#define MORTISE_MAX_DIMS 16

// What a tensor is. GROWABLE; the caller sets struct_size.
typedef struct mortise_tensor_info {
  uint32_t struct_size;
  // MORTISE_FLOAT32 and so on; MORTISE_OTHER_TYPE for what has no number here
  mortise_dtype_t dtype;
  // MORTISE_CPU, MORTISE_CUDA
  uint32_t device_type;
  // which of the machine's devices; 0 on the CPU
  uint32_t device_index;
  // product of shape
  uint64_t elements;
  // elements times their width
  uint64_t size_bytes;
  // how many dimensions it has; shape holds the first MORTISE_MAX_DIMS of them
  uint32_t dims;
  uint32_t reserved;
  // dims entries, outermost first
  int64_t shape[MORTISE_MAX_DIMS];
} mortise_tensor_info_t;

// GROWABLE. Tensors that a function makes belong to the caller until release; borrowed ones end with the event.
typedef struct mortise_host_tensors {
  uint32_t struct_size;
  uint32_t reserved;

  // Makes a tensor, filled with zeros.
  //   shape   [dims] sizes
  //   device  MORTISE_CPU, or MORTISE_CUDA for the run's device (the CPU in a run on the CPU)
  //   errors  MORTISE_OUT_OF_MEMORY; MORTISE_INVALID_ARGUMENT for a negative size or an unknown dtype
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*create)(mortise_ctx_t* ctx, mortise_dtype_t dtype, const int64_t* shape, uint32_t dims,
                             uint32_t device, mortise_handle_t* tensor) MORTISE_NOEXCEPT;

  // Makes a copy with storage of its own, detached from any graph, contiguous.
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*clone)(mortise_ctx_t* ctx, mortise_handle_t source, uint32_t device,
                            mortise_handle_t* tensor) MORTISE_NOEXCEPT;

  // Gives a tensor of the caller's back. Borrowed handles need none.
  // [any-thread]
  mortise_status_t (*release)(mortise_ctx_t* ctx, mortise_handle_t tensor) MORTISE_NOEXCEPT;

  // Fills info.
  // [any-thread]
  mortise_status_t (*info)(mortise_ctx_t* ctx, mortise_handle_t tensor, mortise_tensor_info_t* info) MORTISE_NOEXCEPT;

  // Copies all elements, row-major, into a buffer of the caller's, converting to dtype. Waits for the device.
  //   size_bytes  must be elements times the width of dtype, else MORTISE_INVALID_ARGUMENT
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*read)(mortise_ctx_t* ctx, mortise_handle_t tensor, mortise_dtype_t dtype, void* buffer,
                           uint64_t size_bytes) MORTISE_NOEXCEPT;

  // Sets all elements from a buffer, converting from dtype. A parameter keeps its identity; no gradient is recorded.
  // [train-thread] [load-thread]
  mortise_status_t (*write)(mortise_ctx_t* ctx, mortise_handle_t tensor, mortise_dtype_t dtype, const void* buffer,
                            uint64_t size_bytes) MORTISE_NOEXCEPT;

  // Sets all elements from another tensor of the same shape, across devices and types; storage is never shared.
  // [train-thread] [load-thread]
  mortise_status_t (*copy)(mortise_ctx_t* ctx, mortise_handle_t target, mortise_handle_t source) MORTISE_NOEXCEPT;

  // Address of the elements of a contiguous CPU tensor, to read and write in place, until the event returns or the
  // tensor is released.
  //   errors  MORTISE_UNSUPPORTED for a tensor on a device or one that is not contiguous: use read and write
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*data)(mortise_ctx_t* ctx, mortise_handle_t tensor, void** data) MORTISE_NOEXCEPT;
} mortise_host_tensors_t;
