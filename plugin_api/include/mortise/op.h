// Operators: any of ATen's, found once by the text of its schema and called through the dispatcher. since 1.1
//
// A plugin needs no libtorch for them: "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor".
// The texts are libtorch's and not this interface's: a later libtorch may know more arguments or fewer operators, which
// resolve tells.
#pragma once

#include "base.h"

#define MORTISE_OPS "mortise.ops/1"

// How well a schema fits. Never renumber.
enum {
  // word for word, names of arguments included
  MORTISE_OP_EXACT = 1,
  // the same for every call made after the given text: arguments that came later have defaults
  MORTISE_OP_COMPATIBLE = 2,
};

// Flags of a call.
enum {
  // record for the backward pass; without it nothing is recorded
  MORTISE_OP_RECORD_GRADIENT = 1u << 0,
};

// One call of a batch. FROZEN.
typedef struct mortise_op_call {
  // from resolve
  mortise_handle_t op;
  // [n_args], borrowed
  const mortise_value_t* args;
  // [n_rets], filled; null with n_rets 0: the results live to the end of the batch only
  mortise_value_t* rets;
  uint32_t n_args;
  uint32_t n_rets;
  // MORTISE_OP_*
  uint32_t flags;
  // 0
  uint32_t reserved;
} mortise_op_call_t;

// GROWABLE.
//
// Arguments are in the schema's order. Fewer than it has: the rest have their defaults. A tensor is a HANDLE, an
// optional one that is missing NONE, a Scalar BOOL, INT or DOUBLE, a list of tensors a HANDLE_LIST, a Generator a
// HANDLE of that kind (random.h), a Layout or MemoryFormat an INT of libtorch's own number.
typedef struct mortise_host_ops {
  uint32_t struct_size;
  uint32_t reserved;

  // Finds an operator.
  //   schema  as libtorch prints it; without a signature, "aten::add.Tensor", whatever it is now
  //   match   MORTISE_OP_*; may be null
  //   op      a thing of kind op, the caller's until release
  //   errors  MORTISE_NOT_FOUND: no operator of that name and overload; MORTISE_UNSUPPORTED: its schema is another one;
  //           the text has the schema that there is
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*resolve)(mortise_ctx_t* ctx, mortise_str_t schema, uint32_t* match,
                              mortise_handle_t* op) MORTISE_NOEXCEPT;

  // Gives an operator back.
  // [any-thread]
  mortise_status_t (*release)(mortise_ctx_t* ctx, mortise_handle_t op) MORTISE_NOEXCEPT;

  // Calls an operator, outside any autocast.
  //   rets    [n_rets], as many as the schema has, or 0 to drop them. Each new tensor is the caller's until release;
  //   one
  //           that the operator returns because it was given it (in place, out=) is the handle that was given. For a
  //           list the caller sets as.handles to a buffer and count to its length
  //   errors  MORTISE_INVALID_ARGUMENT with libtorch's text; MORTISE_DENIED where an observer, or setup, would write
  //           into a borrowed tensor; MORTISE_TOO_SMALL with the needed count
  // [train-thread] [load-thread] [job-thread] [backward-thread]
  mortise_status_t (*call)(mortise_ctx_t* ctx, mortise_handle_t op, const mortise_value_t* args, uint32_t n_args,
                           mortise_value_t* rets, uint32_t n_rets, uint32_t flags) MORTISE_NOEXCEPT;

  // Makes calls in order, one border crossing for all. An argument may be a RESULT of an earlier one.
  //   calls   [count]
  //   done    number of calls that were made; may be null. The error is that of the first which failed
  // [train-thread] [load-thread] [job-thread] [backward-thread]
  mortise_status_t (*call_batch)(mortise_ctx_t* ctx, const mortise_op_call_t* calls, uint64_t count,
                                 uint64_t* done) MORTISE_NOEXCEPT;
} mortise_host_ops_t;
