// The model: its parameters, in the order of registration, and masks that the host keeps on them.
#pragma once

#include "base.h"

#define MORTISE_MODEL "mortise.model/1"
#define MORTISE_MASKS "mortise.masks/1"

// One parameter. GROWABLE; the caller sets struct_size. Texts are valid as long as the run.
typedef struct mortise_parameter_info {
  uint32_t struct_size;
  // 1: it is trained
  uint32_t requires_grad;
  // as in the state dict: "layer1.0.conv1.weight"
  mortise_str_t name;
  // the owner's path: "layer1.0.conv1"; empty: the model itself
  mortise_str_t module;
  // the owner's class, torch's name: "Conv2d"
  mortise_str_t module_type;
  // product of shape
  uint64_t elements;
  // entries of shape that are in use
  uint32_t dims;
  // 1: an earlier entry is the same parameter (tied weights)
  uint32_t shared;
  // dims entries
  int64_t shape[16];
} mortise_parameter_info_t;

// One buffer, such as a batch norm's running mean. GROWABLE; the caller sets struct_size. since 1.1
typedef struct mortise_buffer_info {
  uint32_t struct_size;
  uint32_t dims;
  // as in the state dict: "bn1.running_mean"; valid as long as the run
  mortise_str_t name;
  uint64_t elements;
  // dims entries
  int64_t shape[16];
} mortise_buffer_info_t;

// One module. GROWABLE; the caller sets struct_size. since 1.1
typedef struct mortise_module_info {
  uint32_t struct_size;
  // 1: in training mode
  uint32_t training;
  // path: "layer1.0.conv1"; empty: the model itself; valid as long as the run
  mortise_str_t name;
  // torch's name of its class: "Conv2d"
  mortise_str_t type;
  // 1: the model tells of its forward passes (hook.h)
  uint32_t hookable;
  uint32_t reserved;
} mortise_module_info_t;

// Flags of forward.
enum {
  // modules in training mode, so that batch norms renew their running values; without: in evaluation mode
  MORTISE_FORWARD_TRAINING = 1u << 0,
};

// GROWABLE. A parameter is named by its index. The list does not change during a run.
typedef struct mortise_host_model {
  uint32_t struct_size;
  uint32_t reserved;

  // Number of parameters.
  //   errors  MORTISE_WRONG_STATE where no model is attached
  // [train-thread]
  mortise_status_t (*parameter_count)(mortise_ctx_t* ctx, uint64_t* count) MORTISE_NOEXCEPT;

  // Describes parameter number index.
  // [train-thread]
  mortise_status_t (*parameter_info)(mortise_ctx_t* ctx, uint64_t index,
                                     mortise_parameter_info_t* info) MORTISE_NOEXCEPT;

  // Borrows the parameter, or its gradient, as a tensor until the event returns.
  //   errors  MORTISE_NOT_FOUND if there is no gradient
  // [train-thread]
  mortise_status_t (*parameter)(mortise_ctx_t* ctx, uint64_t index, mortise_handle_t* tensor) MORTISE_NOEXCEPT;
  mortise_status_t (*gradient)(mortise_ctx_t* ctx, uint64_t index, mortise_handle_t* tensor) MORTISE_NOEXCEPT;

  // Buffers by index, in the order of the state dict. since 1.1
  // [train-thread]
  mortise_status_t (*buffer_count)(mortise_ctx_t* ctx, uint64_t* count) MORTISE_NOEXCEPT;
  mortise_status_t (*buffer_info)(mortise_ctx_t* ctx, uint64_t index, mortise_buffer_info_t* info) MORTISE_NOEXCEPT;
  // Borrows the buffer until the event returns. since 1.1
  // [train-thread]
  mortise_status_t (*buffer)(mortise_ctx_t* ctx, uint64_t index, mortise_handle_t* tensor) MORTISE_NOEXCEPT;

  // Modules by index, parents first; 0 is the model itself. since 1.1
  // [train-thread]
  mortise_status_t (*module_count)(mortise_ctx_t* ctx, uint64_t* count) MORTISE_NOEXCEPT;
  mortise_status_t (*module_info)(mortise_ctx_t* ctx, uint64_t index, mortise_module_info_t* info) MORTISE_NOEXCEPT;

  // Freezes a parameter (0) or lets it train again (1). since 1.1
  //   errors  MORTISE_DENIED to an observer
  // [train-thread]
  mortise_status_t (*set_requires_grad)(mortise_ctx_t* ctx, uint64_t index, uint32_t requires_grad) MORTISE_NOEXCEPT;

  // Runs the model without recording gradients; modes are as before afterwards. since 1.1
  //   input   tensor [batch, ...] on the run's device
  //   flags   MORTISE_FORWARD_*
  //   output  a tensor of the caller's
  // [train-thread]
  mortise_status_t (*forward)(mortise_ctx_t* ctx, mortise_handle_t input, uint32_t flags,
                              mortise_handle_t* output) MORTISE_NOEXCEPT;
} mortise_host_model_t;

// What becomes of a mask that goes. Never renumber.
enum {
  // masked entries stay as zeros and are trained like any other (what unload does)
  MORTISE_MASK_BAKE = 1,
  // the mask stays and belongs to the model; the receipt says so
  MORTISE_MASK_KEEP = 2,
};

// Masks on parameters. The host zeroes masked entries at once, their gradients before clipping and their weights after
// each optimiser step. GROWABLE.
typedef struct mortise_host_masks {
  uint32_t struct_size;
  uint32_t reserved;

  // Sets or replaces the mask of a parameter; it belongs to the caller, counts as a thing of kind mask and ends with
  // it.
  //   keep      [elements] bytes, row-major: 1 keeps, 0 masks; copied
  //   elements  as many as the parameter has, else MORTISE_INVALID_ARGUMENT
  //   errors    MORTISE_WRONG_STATE if another plugin masks this parameter
  // [train-thread]
  mortise_status_t (*set)(mortise_ctx_t* ctx, uint64_t parameter, const uint8_t* keep,
                          uint64_t elements) MORTISE_NOEXCEPT;

  // Copies the mask of a parameter, the caller's or one that belongs to the model.
  //   errors  MORTISE_NOT_FOUND if there is none
  // [train-thread]
  mortise_status_t (*get)(mortise_ctx_t* ctx, uint64_t parameter, uint8_t* keep, uint64_t elements) MORTISE_NOEXCEPT;

  // Ends the caller's mask of a parameter.
  //   how  MORTISE_MASK_BAKE or MORTISE_MASK_KEEP
  // [train-thread] [load-thread]
  mortise_status_t (*clear)(mortise_ctx_t* ctx, uint64_t parameter, uint32_t how) MORTISE_NOEXCEPT;
} mortise_host_masks_t;
