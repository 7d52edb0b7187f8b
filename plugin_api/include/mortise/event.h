// The moments of a run that a plugin can take part in, under Lightning's names and in its order.
//
// Per fit: setup, on_fit_start, [sanity check], on_train_start, epochs, on_train_end, on_fit_end, teardown. Plugins are
// called in the order of the list, checkpointing ones last. teardown comes after a failure, too, with on_exception
// before it. An event that returns an error ends the run, unless the run asks otherwise; the message names plugin,
// event and step.
#pragma once

#include "base.h"

// Which function runs (setup and teardown), and which stage of it. Never renumber.
enum {
  MORTISE_STAGE_TRAIN = 1,  // also: the function is fit
  MORTISE_STAGE_SANITY_CHECK = 2,
  MORTISE_STAGE_VALIDATE = 3,
  MORTISE_STAGE_TEST = 4,
  MORTISE_STAGE_PREDICT = 5,
};
typedef uint32_t mortise_stage_t;

// Where the run stands. GROWABLE. Borrowed until the event returns, as are the tensor handles in it.
typedef struct mortise_event {
  uint32_t struct_size;
  mortise_stage_t function;  // fit is MORTISE_STAGE_TRAIN
  mortise_stage_t stage;
  uint32_t is_last_batch;   // batch events: 1 for the last of the epoch
  uint64_t epoch;           // index from 0 of the running epoch; one more in on_train_end and later
  uint64_t global_step;     // optimiser steps taken so far
  uint64_t batch_idx;       // batch events: from 0
  uint64_t dataloader_idx;  // evaluation batch events
  uint64_t batch_size;      // batch events: samples
  mortise_handle_t input;   // batch events: tensor [batch, ...] on the run's device; else 0
  mortise_handle_t target;  // batch events: tensor [batch]; else 0
  mortise_handle_t loss;    // on_before_backward and on_train_batch_end: tensor []; else 0
} mortise_event_t;

// A failure. GROWABLE.
typedef struct mortise_exception_event {
  uint32_t struct_size;
  uint32_t interrupted;   // 1: the user or a signal asked to stop
  mortise_str_t message;  // borrowed until the event returns
} mortise_exception_event_t;

// A checkpoint that is being written or read. GROWABLE.
typedef struct mortise_state_event {
  uint32_t struct_size;
  uint32_t reserved;
  mortise_handle_t state;  // dictionary (state_dict.h), valid until the event returns
} mortise_state_event_t;

// Type of a slot that takes where the run stands.
typedef mortise_status_t (*mortise_event_fn_t)(void* self, const mortise_event_t* event) MORTISE_NOEXCEPT;

// All moments. GROWABLE. A null slot is not called. All run on the train-thread.
typedef struct mortise_events {
  uint32_t struct_size;
  // Smaller comes earlier among the plugins of a list; equal keeps the list's order. 0 is usual.
  int32_t priority;

  // Before and after each function; event->function says which. No model may be changed in setup.
  mortise_event_fn_t setup;
  mortise_event_fn_t teardown;

  mortise_event_fn_t on_fit_start;
  mortise_event_fn_t on_fit_end;
  mortise_event_fn_t on_sanity_check_start;
  mortise_event_fn_t on_sanity_check_end;
  mortise_event_fn_t on_train_start;
  mortise_event_fn_t on_train_end;
  mortise_event_fn_t on_train_epoch_start;
  mortise_event_fn_t on_train_epoch_end;  // after the epoch's validation; see MORTISE_PLUGIN_MONITORING
  mortise_event_fn_t on_train_batch_start;
  mortise_event_fn_t on_train_batch_end;

  // Inside a training batch: after the forward pass, before gradients are cleared; loss known; gradients made;
  // gradients unscaled and not yet clipped, only where an optimiser step follows.
  mortise_event_fn_t on_before_zero_grad;
  mortise_event_fn_t on_before_backward;
  mortise_event_fn_t on_after_backward;
  mortise_event_fn_t on_before_optimizer_step;

  mortise_event_fn_t on_validation_start;
  mortise_event_fn_t on_validation_end;
  mortise_event_fn_t on_validation_epoch_start;
  mortise_event_fn_t on_validation_epoch_end;
  mortise_event_fn_t on_validation_batch_start;
  mortise_event_fn_t on_validation_batch_end;
  mortise_event_fn_t on_test_start;
  mortise_event_fn_t on_test_end;
  mortise_event_fn_t on_test_epoch_start;
  mortise_event_fn_t on_test_epoch_end;
  mortise_event_fn_t on_test_batch_start;
  mortise_event_fn_t on_test_batch_end;
  mortise_event_fn_t on_predict_start;
  mortise_event_fn_t on_predict_end;
  mortise_event_fn_t on_predict_epoch_start;
  mortise_event_fn_t on_predict_epoch_end;
  mortise_event_fn_t on_predict_batch_start;
  mortise_event_fn_t on_predict_batch_end;

  // The run failed or was interrupted. teardown follows.
  mortise_status_t (*on_exception)(void* self, const mortise_exception_event_t* event) MORTISE_NOEXCEPT;

  // Puts the plugin's state into a checkpoint, or takes it back. load is called only if the file has an entry.
  mortise_status_t (*state_save)(void* self, const mortise_state_event_t* event) MORTISE_NOEXCEPT;
  mortise_status_t (*state_load)(void* self, const mortise_state_event_t* event) MORTISE_NOEXCEPT;
} mortise_events_t;
