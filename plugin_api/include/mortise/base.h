// Words that every other header uses: fixed types, text, spans, values, handles, thread tags.
//
// Conventions of the whole interface:
//   1. C11, fixed-width integers, double and pointers only.
//   2. A struct is FROZEN (never changes) or GROWABLE: it begins with struct_size and grows only at the end.
//      struct_size is the number of bytes its writer knows; readers look with MORTISE_HAS first.
//   3. Every host function takes the plugin's context first and returns a mortise_status_t.
//   4. Arguments are borrowed until the call returns. Nothing is ever freed across the border.
//   5. Text is UTF-8 with a length; it need not end in a zero byte.
//
// Thread tags, the last line of each comment:
//   [load-thread]   the thread that loads and unloads plugins, outside any run
//   [train-thread]  the thread that runs fit, validate, test or predict, inside an event
//   [job-thread]    a thread of the host's pool that runs a job of this plugin
//   [backward-thread]  a thread of libtorch's inside the backward pass: the train-thread itself on the CPU
//   [any-thread]    every thread, between instance creation and the end of shutdown
#pragma once

#include <stdint.h>

#ifdef __cplusplus
#define MORTISE_EXTERN_C extern "C"
#if __cplusplus >= 201703L
#define MORTISE_NOEXCEPT noexcept
#else
#define MORTISE_NOEXCEPT
#endif
#else
#define MORTISE_EXTERN_C
#define MORTISE_NOEXCEPT
#endif

// True if the writer of *p knew the member and, for pointers, filled it.
#define MORTISE_HAS(p, member)                                                                           \
  ((p)->struct_size >= (uint32_t)((const char*)&(p)->member - (const char*)(p)) + sizeof((p)->member) && \
   (p)->member != 0)

// Identity of one plugin instance. Opaque; the host makes it, hands it to instance_create and takes it first in
// every service call. Valid until the end of shutdown.
typedef struct mortise_ctx mortise_ctx_t;

// Result of a call; status.h lists the codes. 0 is success, everything else is negative.
typedef int32_t mortise_status_t;

// A thing that the host owns on the plugin's behalf: kind (8 bits), generation (24), slot (32). 0 is no thing. A handle
// that was released, belongs to another plugin or is of another kind is refused by name, never followed.
typedef uint64_t mortise_handle_t;

// Borrowed UTF-8 text. FROZEN.
typedef struct mortise_str {
  // may be null if len is 0
  const char* ptr;
  // bytes
  uint64_t len;
} mortise_str_t;

// Borrowed array whose element type may grow: element i begins at ptr + i * stride. FROZEN.
typedef struct mortise_span {
  // may be null if count is 0
  const void* ptr;
  // elements
  uint64_t count;
  // bytes from one element to the next
  uint64_t stride;
} mortise_span_t;

// Tags of a mortise_value. Never renumber.
enum {
  // nothing: an option that is not set, an argument that is left out
  MORTISE_VALUE_NONE = 0,
  // as.integer is 0 or 1
  MORTISE_VALUE_BOOL = 1,
  // as.integer
  MORTISE_VALUE_INT = 2,
  // as.number
  MORTISE_VALUE_DOUBLE = 3,
  // as.text, count bytes
  MORTISE_VALUE_STRING = 4,
  // as.handle
  MORTISE_VALUE_HANDLE = 5,
  // as.number; a checkpoint holds it as a tensor without dimensions, as Lightning does scores
  MORTISE_VALUE_SCALAR = 6,
  // as.integer is a MORTISE_FLOAT32 or other type (tensor.h). since 1.1, as are all below
  MORTISE_VALUE_DTYPE = 7,
  // as.integer is MORTISE_CPU or MORTISE_CUDA, count the index
  MORTISE_VALUE_DEVICE = 8,
  // as.integers, count elements
  MORTISE_VALUE_INT_LIST = 9,
  // as.numbers, count elements
  MORTISE_VALUE_DOUBLE_LIST = 10,
  // as.flags, count elements of 0 or 1
  MORTISE_VALUE_BOOL_LIST = 11,
  // as.handles, count elements; 0 stands for none
  MORTISE_VALUE_HANDLE_LIST = 12,
  // a result of an earlier call of the same batch (op.h): as.integer is the call's number, count the result's
  MORTISE_VALUE_RESULT = 13,
};
typedef uint32_t mortise_value_tag_t;

// One value of a few kinds. FROZEN.
typedef struct mortise_value {
  // which member of as holds it
  mortise_value_tag_t tag;
  // 0
  uint32_t reserved;
  // the tags say which
  union {
    int64_t integer;
    double number;
    const char* text;
    mortise_handle_t handle;
    const int64_t* integers;
    const double* numbers;
    const uint8_t* flags;
    mortise_handle_t* handles;
  } as;
  // bytes of text, elements of a list; 0 where the tag gives it no meaning
  uint64_t count;
} mortise_value_t;
