// Checkpoints: written whole or not at all, by the host; a plugin says when and where.
#pragma once

#include "base.h"

#define MORTISE_CHECKPOINTS "mortise.checkpoints/1"

// Flags of save.
enum {
  // without optimiser and callback states
  MORTISE_CHECKPOINT_WEIGHTS_ONLY = 1u << 0,
};

// GROWABLE.
typedef struct mortise_host_checkpoints {
  uint32_t struct_size;
  uint32_t reserved;

  // Writes the run's state into a file. All plugins' state_save is called. The file appears whole and durable, or not
  // at all; folders are made.
  //   path    absolute, or relative to where the host was started
  //   errors  MORTISE_IO with the path and the reason; MORTISE_WRONG_STATE in state_save and on_checkpoint_saved, of any
  //           plugin, and where one of those failed
  // [train-thread & in a fit]
  mortise_status_t (*save)(mortise_ctx_t* ctx, mortise_str_t path, uint32_t flags) MORTISE_NOEXCEPT;

  // Tells the run which file is the best one and which the last: --ckpt best, --ckpt last. Empty: none.
  // [train-thread]
  mortise_status_t (*announce)(mortise_ctx_t* ctx, mortise_str_t best, mortise_str_t last) MORTISE_NOEXCEPT;

  // The file that this run was resumed from; empty: none.
  // [train-thread]
  mortise_status_t (*resumed_from)(mortise_ctx_t* ctx, mortise_str_t* path) MORTISE_NOEXCEPT;
} mortise_host_checkpoints_t;
