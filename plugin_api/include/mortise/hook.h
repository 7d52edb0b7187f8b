// Hooks into the forward and the backward pass.
#pragma once

#include "base.h"

#define MORTISE_HOOKS "mortise.hooks/1"

// Called with a gradient as soon as it is computed; it may be read and written.
//   gradient  tensor of the parameter's shape, borrowed until return
// [backward-thread]
typedef mortise_status_t (*mortise_gradient_fn_t)(void* user, uint64_t parameter,
                                                  mortise_handle_t gradient) MORTISE_NOEXCEPT;

// Called after a module's forward pass.
//   module  index, as in mortise.model/1
//   input   tensor [batch, ...], borrowed until return
//   output  the same; what is written into it is what the next module sees
// since 1.1
// [train-thread]
typedef mortise_status_t (*mortise_forward_fn_t)(void* user, uint64_t module, mortise_handle_t input,
                                                 mortise_handle_t output) MORTISE_NOEXCEPT;

// GROWABLE.
typedef struct mortise_host_hooks {
  uint32_t struct_size;
  uint32_t reserved;

  // Calls run for each gradient of a parameter until the hook is released or the plugin is unloaded.
  // [train-thread]
  mortise_status_t (*on_gradient)(mortise_ctx_t* ctx, uint64_t parameter, mortise_gradient_fn_t run, void* user,
                                  mortise_handle_t* hook) MORTISE_NOEXCEPT;

  // Ends a hook.
  // [train-thread] [load-thread]
  mortise_status_t (*release)(mortise_ctx_t* ctx, mortise_handle_t hook) MORTISE_NOEXCEPT;

  // Calls run after each forward pass of a module, in training and evaluation alike.
  //   module  index, as in mortise.model/1; 0 is the model itself
  //   errors  MORTISE_UNSUPPORTED if the model does not tell of this module's passes (module_info: hookable)
  // since 1.1
  // [train-thread]
  mortise_status_t (*on_forward)(mortise_ctx_t* ctx, uint64_t module, mortise_forward_fn_t run, void* user,
                                 mortise_handle_t* hook) MORTISE_NOEXCEPT;
} mortise_host_hooks_t;
