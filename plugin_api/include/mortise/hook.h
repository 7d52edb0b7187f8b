// Hooks into the backward pass.
#pragma once

#include "base.h"

#define MORTISE_HOOKS "mortise.hooks/1"

// Called with a gradient as soon as it is computed; it may be read and written.
//   gradient  tensor of the parameter's shape, borrowed until return
// [train-thread]
typedef mortise_status_t (*mortise_gradient_fn_t)(void* user, uint64_t parameter,
                                                  mortise_handle_t gradient) MORTISE_NOEXCEPT;

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
} mortise_host_hooks_t;
