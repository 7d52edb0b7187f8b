// Dictionaries of plain values: what a plugin puts into a checkpoint and takes out again.
//
// They become Python dictionaries in the file. Keys keep their order.
#pragma once

#include "base.h"

#define MORTISE_STATE_DICT "mortise.state_dict/1"

// GROWABLE. A dictionary's handle comes with an event and is valid until it returns.
typedef struct mortise_host_state_dict {
  uint32_t struct_size;
  uint32_t reserved;

  // Names the instance's entry under `callbacks` in a checkpoint; without it that is the instance's name.
  // [load-thread & in instance_create]
  mortise_status_t (*set_state_key)(mortise_ctx_t* ctx, mortise_str_t key) MORTISE_NOEXCEPT;

  // Stores a value; text and tensors (a handle of kind tensor) are copied. A key that exists is replaced.
  // [train-thread & in state_save]
  mortise_status_t (*put)(mortise_ctx_t* ctx, mortise_handle_t dict, mortise_str_t key,
                          const mortise_value_t* value) MORTISE_NOEXCEPT;

  // Makes a dictionary inside another.
  // [train-thread & in state_save]
  mortise_status_t (*put_dict)(mortise_ctx_t* ctx, mortise_handle_t dict, mortise_str_t key,
                               mortise_handle_t* child) MORTISE_NOEXCEPT;

  // Reads a value. A tensor of one element reads as a number; other tensors as a borrowed handle.
  //   errors  MORTISE_NOT_FOUND
  // [train-thread & in state_save or state_load]
  mortise_status_t (*get)(mortise_ctx_t* ctx, mortise_handle_t dict, mortise_str_t key,
                          mortise_value_t* value) MORTISE_NOEXCEPT;
  mortise_status_t (*get_dict)(mortise_ctx_t* ctx, mortise_handle_t dict, mortise_str_t key,
                               mortise_handle_t* child) MORTISE_NOEXCEPT;

  // Key number index, in order.
  //   errors  MORTISE_NOT_FOUND past the end
  // [train-thread & in state_save or state_load]
  mortise_status_t (*key_at)(mortise_ctx_t* ctx, mortise_handle_t dict, uint64_t index,
                             mortise_str_t* key) MORTISE_NOEXCEPT;
} mortise_host_state_dict_t;
