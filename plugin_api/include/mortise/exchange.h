// From plugin to plugin, through the host: services that one offers and others call, and events of their own. since 1.1
//
// Nobody holds a pointer into another plugin: the host passes the calls on, so that one may be unloaded while the other
// stays. Ids are the author's, in the form "com.example.thing/1"; what begins with "mortise." is the host's.
#pragma once

#include "base.h"

#define MORTISE_EXCHANGE "mortise.exchange/1"

// A service's function, the offering plugin's.
//   method  the service's own number of what to do
//   args    [n_args], borrowed until return; text is UTF-8; a handle is a tensor that is lent to the called plugin
//   rets    [n_rets] for the answers, NONE before: numbers; text and tensors that stay good until the next call of this
//           function. No lists
//   errors  any; the caller gets the code and the text
// [train-thread] [load-thread]
typedef mortise_status_t (*mortise_service_fn_t)(void* user, uint32_t method, const mortise_value_t* args,
                                                 uint32_t n_args, mortise_value_t* rets,
                                                 uint32_t n_rets) MORTISE_NOEXCEPT;

// Receives an event that a plugin raised.
//   id    of the event
//   args  [n_args], borrowed until return
// [train-thread] [load-thread]
typedef mortise_status_t (*mortise_event_handler_t)(void* user, mortise_str_t id, const mortise_value_t* args,
                                                    uint32_t n_args) MORTISE_NOEXCEPT;

// GROWABLE.
typedef struct mortise_host_exchange {
  uint32_t struct_size;
  uint32_t reserved;

  // Offers a service under an id until the handle is released or the plugin is unloaded.
  //   service  a thing of kind service
  //   errors   MORTISE_WRONG_STATE if another plugin of this process offers it; MORTISE_INVALID_ARGUMENT for an id of
  //            another form or of the host's
  // [train-thread] [load-thread]
  mortise_status_t (*offer)(mortise_ctx_t* ctx, mortise_str_t id, mortise_service_fn_t run, void* user,
                            mortise_handle_t* service) MORTISE_NOEXCEPT;

  // Finds a service. The host records the use: the user is unloaded before the one that offers.
  //   use     a thing of kind use, the caller's until release
  //   errors  MORTISE_NOT_FOUND; the text lists the ids there are. MORTISE_WRONG_THREAD if the one that offers it lives
  //           on another thread
  // [train-thread] [load-thread]
  mortise_status_t (*find)(mortise_ctx_t* ctx, mortise_str_t id, mortise_handle_t* use) MORTISE_NOEXCEPT;

  // Calls a service. Its plugin is at the caller's event then, and may call services of others, the caller's too.
  //   args    [n_args], at most 1024; a tensor that the caller may not write into, the service may not either
  //   rets    [n_rets], at most 1024; text in it is valid until the next call of a service on this thread; tensors are
  //           borrowed until the event returns. Untouched after an error
  //   errors  MORTISE_NOT_FOUND if it is offered no more; MORTISE_WRONG_STATE where plugins call each other deeper than
  //           16 times; else what the function returned, with both names in the text
  // [train-thread] [load-thread]
  mortise_status_t (*call)(mortise_ctx_t* ctx, mortise_handle_t use, uint32_t method, const mortise_value_t* args,
                           uint32_t n_args, mortise_value_t* rets, uint32_t n_rets) MORTISE_NOEXCEPT;

  // Receives the events of an id from now on.
  //   subscription  a thing of kind subscription
  // [train-thread] [load-thread]
  mortise_status_t (*subscribe)(mortise_ctx_t* ctx, mortise_str_t id, mortise_event_handler_t run, void* user,
                                mortise_handle_t* subscription) MORTISE_NOEXCEPT;

  // Raises an event: every subscriber of its id on this thread is called, in the order of the plugin list, the caller
  // not.
  //   args    [n_args], at most 1024
  //   errors  the first that a subscriber returned, with its name in the text; the others are called all the same
  // [train-thread] [load-thread]
  mortise_status_t (*raise)(mortise_ctx_t* ctx, mortise_str_t id, const mortise_value_t* args,
                            uint32_t n_args) MORTISE_NOEXCEPT;

  // Gives a service, a use or a subscription back.
  // [train-thread] [load-thread]
  mortise_status_t (*release)(mortise_ctx_t* ctx, mortise_handle_t handle) MORTISE_NOEXCEPT;
} mortise_host_exchange_t;
