// The run: what it was asked for, and what a plugin may ask of it.
#pragma once

#include "base.h"

#define MORTISE_RUN "mortise.run/1"

// What the user asked for. GROWABLE; the caller sets struct_size, the host fills what both know.
typedef struct mortise_run_info {
  uint32_t struct_size;
  // 1: a trial run; monitoring and checkpointing plugins do nothing
  uint32_t fast_dev_run;
  // -1: no limit
  int64_t max_epochs;
  // -1: no limit
  int64_t max_steps;
  // batches of an epoch after limits; UINT64_MAX: unknown
  uint64_t train_batches;
  // batches of a validation after limits; 0: none; UINT64_MAX: unknown
  uint64_t val_batches;
  // fraction of an epoch if val_check_is_fraction, else batches
  double val_check_interval;
  // 1 or 0
  uint32_t val_check_is_fraction;
  // somebody asked to stop already
  uint32_t should_stop;
  // 0: validation counts batches across epochs
  int64_t check_val_every_n_epoch;
  // no stop that is asked for takes effect before
  uint64_t min_epochs;
  // validations of this fit so far, without the sanity check
  uint64_t validations;
  // as in an event
  uint64_t current_epoch;
  // as in an event
  uint64_t global_step;
  // this process among those that train together, from 0. since 1.1
  uint32_t rank;
  // how many those are. since 1.1
  uint32_t world_size;
} mortise_run_info_t;

// What to leave out. Never renumber.
enum {
  // the optimiser step of the running batch; gradients are dropped and the step does not count
  MORTISE_SKIP_STEP = 1,
  // the rest of the running epoch's batches; its end is told as usual
  MORTISE_SKIP_EPOCH = 2,
};

// GROWABLE.
typedef struct mortise_host_run {
  uint32_t struct_size;
  uint32_t reserved;

  // Fills info.
  //   errors  MORTISE_WRONG_STATE outside a run
  // [train-thread]
  mortise_status_t (*info)(mortise_ctx_t* ctx, mortise_run_info_t* info) MORTISE_NOEXCEPT;

  // Asks training to end at the next batch boundary, once min_epochs and min_steps are met.
  //   reason  for the user
  // [train-thread]
  mortise_status_t (*request_stop)(mortise_ctx_t* ctx, mortise_str_t reason) MORTISE_NOEXCEPT;

  // Folder of this run, absolute: what a plugin writes belongs there unless the user says otherwise.
  //   path  valid as long as the instance
  // [any-thread]
  mortise_status_t (*directory)(mortise_ctx_t* ctx, mortise_str_t* path) MORTISE_NOEXCEPT;

  // Leaves something out.
  //   what    MORTISE_SKIP_STEP from on_train_batch_start to on_before_optimizer_step; MORTISE_SKIP_EPOCH in any
  //           training event of the epoch (Lightning: -1 from on_train_batch_start, where the batch itself is left
  //           out, too)
  //   errors  MORTISE_WRONG_STATE at another moment; MORTISE_DENIED to an observer
  // since 1.1
  // [train-thread]
  mortise_status_t (*skip)(mortise_ctx_t* ctx, uint32_t what) MORTISE_NOEXCEPT;
} mortise_host_run_t;
