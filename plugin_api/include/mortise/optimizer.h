// The optimiser: its parameter groups, learning rates and state. since 1.1
#pragma once

#include "base.h"

#define MORTISE_OPTIMIZER "mortise.optimizer/1"

// One group of parameters with settings in common. GROWABLE; the caller sets struct_size.
typedef struct mortise_param_group_info {
  uint32_t struct_size;
  uint32_t reserved;
  double lr;
  double weight_decay;
  // how many it has
  uint64_t parameters;
} mortise_param_group_info_t;

// GROWABLE. There is an optimiser from on_fit_start to on_fit_end; elsewhere the answer is MORTISE_WRONG_STATE.
typedef struct mortise_host_optimizer {
  uint32_t struct_size;
  uint32_t reserved;

  // torch's name of its class: "SGD", "AdamW".
  //   name  valid as long as the run
  // [train-thread]
  mortise_status_t (*name)(mortise_ctx_t* ctx, mortise_str_t* name) MORTISE_NOEXCEPT;

  // Number of groups, at least 1.
  // [train-thread]
  mortise_status_t (*group_count)(mortise_ctx_t* ctx, uint64_t* count) MORTISE_NOEXCEPT;

  // Describes a group.
  // [train-thread]
  mortise_status_t (*group_info)(mortise_ctx_t* ctx, uint64_t group, mortise_param_group_info_t* info) MORTISE_NOEXCEPT;

  // Index, as in mortise.model/1, of a group's parameter number position.
  //   errors  MORTISE_NOT_FOUND past the end
  // [train-thread]
  mortise_status_t (*group_parameter)(mortise_ctx_t* ctx, uint64_t group, uint64_t position,
                                      uint64_t* parameter) MORTISE_NOEXCEPT;

  // Sets the learning rate of a group from the next step on.
  //   lr      at least 0, finite, else MORTISE_INVALID_ARGUMENT
  //   errors  MORTISE_DENIED to an observer
  // [train-thread]
  mortise_status_t (*set_lr)(mortise_ctx_t* ctx, uint64_t group, double lr) MORTISE_NOEXCEPT;

  // Borrows a tensor of a parameter's state until the event returns.
  //   parameter  index, as in mortise.model/1
  //   name       torch's: "exp_avg", "momentum_buffer"
  //   errors     MORTISE_NOT_FOUND if there is none (yet); the text lists the names there are
  // [train-thread]
  mortise_status_t (*state)(mortise_ctx_t* ctx, uint64_t parameter, mortise_str_t name,
                            mortise_handle_t* tensor) MORTISE_NOEXCEPT;
} mortise_host_optimizer_t;
