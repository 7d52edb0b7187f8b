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
  // also: the function is fit
  MORTISE_STAGE_TRAIN = 1,
  // the validation before training
  MORTISE_STAGE_SANITY_CHECK = 2,
  // a validation, alone or inside a fit
  MORTISE_STAGE_VALIDATE = 3,
  MORTISE_STAGE_TEST = 4,
  MORTISE_STAGE_PREDICT = 5,
};
typedef uint32_t mortise_stage_t;

// Where the run stands. GROWABLE. Borrowed until the event returns, as are the tensor handles in it.
typedef struct mortise_event {
  uint32_t struct_size;
  // what the user called: fit is MORTISE_STAGE_TRAIN
  mortise_stage_t function;
  // what runs just now: a validation inside a fit is MORTISE_STAGE_VALIDATE
  mortise_stage_t stage;
  // batch events: 1 for the last of the epoch
  uint32_t is_last_batch;
  // index from 0 of the running epoch; one more in on_train_end and later
  uint64_t epoch;
  // optimiser steps taken so far
  uint64_t global_step;
  // batch events: from 0
  uint64_t batch_idx;
  // evaluation batch events
  uint64_t dataloader_idx;
  // batch events: samples
  uint64_t batch_size;
  // batch events: tensor [batch, ...] on the run's device; else 0
  mortise_handle_t input;
  // batch events: tensor [batch]; else 0
  mortise_handle_t target;
  // on_before_backward and on_train_batch_end: tensor []; else 0
  mortise_handle_t loss;
  // batch end events: the model's output, tensor [batch, ...], detached; else 0. since 1.1
  mortise_handle_t output;
} mortise_event_t;

// A failure. GROWABLE.
typedef struct mortise_exception_event {
  uint32_t struct_size;
  // 1: the user or a signal asked to stop
  uint32_t interrupted;
  // borrowed until the event returns
  mortise_str_t message;
} mortise_exception_event_t;

// A checkpoint that is being written or read. GROWABLE.
typedef struct mortise_state_event {
  uint32_t struct_size;
  uint32_t reserved;
  // dictionary (state_dict.h), valid until the event returns
  mortise_handle_t state;
  // state_load: the state_version (plugin.h) of the plugin that wrote; 0: none. state_save: the caller's own. since 1.1
  uint32_t state_version;
  uint32_t reserved1;
} mortise_state_event_t;

// A checkpoint file that was written or read. GROWABLE. since 1.1
typedef struct mortise_checkpoint_event {
  uint32_t struct_size;
  // 1: without optimiser and callback states
  uint32_t weights_only;
  // absolute; borrowed until the event returns
  mortise_str_t path;
} mortise_checkpoint_event_t;

// Type of a slot that takes where the run stands.
typedef mortise_status_t (*mortise_event_fn_t)(void* self, const mortise_event_t* event) MORTISE_NOEXCEPT;

// All moments. GROWABLE. A null slot is not called. All run on the train-thread.
typedef struct mortise_events {
  uint32_t struct_size;
  // Smaller comes earlier among the plugins of a list; equal keeps the list's order. 0 is usual.
  int32_t priority;

  // Before anything else of a function; event->function says which. The model may still be on the CPU; it may not be
  // changed.
  mortise_event_fn_t setup;
  // After everything else of a function, also after a failure. What belongs to the run ends here.
  mortise_event_fn_t teardown;
  // The model is on its device, the optimiser exists, a resumed state is loaded. Refuse here what only the model shows.
  mortise_event_fn_t on_fit_start;
  // Training and its last epoch are over; the model is still on its device.
  mortise_event_fn_t on_fit_end;
  // The validation before training. Validation events with stage SANITY_CHECK come between the two; its metrics are
  // forgotten.
  mortise_event_fn_t on_sanity_check_start;
  mortise_event_fn_t on_sanity_check_end;
  // The first epoch follows. Not called where nothing is left to train.
  mortise_event_fn_t on_train_start;
  // After the last epoch; event->epoch counts finished epochs from here on.
  mortise_event_fn_t on_train_end;
  // No batch of the epoch has been read. A stop asked for here gives an epoch without batches.
  mortise_event_fn_t on_train_epoch_start;
  // After the epoch's last batch and its validation. Ordinary plugins come before the model's own hook, those with
  // MORTISE_PLUGIN_MONITORING after it.
  mortise_event_fn_t on_train_epoch_end;
  // The batch is on the device. event->input and event->target are tensors from here to on_train_batch_end.
  mortise_event_fn_t on_train_batch_start;
  // The step is counted already, gradients are still there; event->loss is detached and divided by the accumulation.
  mortise_event_fn_t on_train_batch_end;
  // After the forward pass, in the first batch of an accumulation window.
  mortise_event_fn_t on_before_zero_grad;
  // event->loss is known, scaled and divided by the accumulation.
  mortise_event_fn_t on_before_backward;
  // Gradients are there; in 16-mixed still scaled.
  mortise_event_fn_t on_after_backward;
  // Gradients are unscaled, masked and not yet clipped. Only where an optimiser step follows.
  mortise_event_fn_t on_before_optimizer_step;
  // A validation, inside a fit or alone (event->function): the model is in evaluation mode and no gradients are
  // recorded until the end.
  mortise_event_fn_t on_validation_start;
  // The metrics of this evaluation are there; modes are as before.
  mortise_event_fn_t on_validation_end;
  // Right after the start; one epoch an evaluation.
  mortise_event_fn_t on_validation_epoch_start;
  // All batches are done and their means can be read.
  mortise_event_fn_t on_validation_epoch_end;
  // event->batch_idx counts from 0 within this evaluation.
  mortise_event_fn_t on_validation_batch_start;
  // The batch's part of the means is counted.
  mortise_event_fn_t on_validation_batch_end;
  // A test: the model is in evaluation mode and no gradients are recorded until the end.
  mortise_event_fn_t on_test_start;
  // The metrics of this evaluation are there; modes are as before.
  mortise_event_fn_t on_test_end;
  // Right after the start; one epoch an evaluation.
  mortise_event_fn_t on_test_epoch_start;
  // All batches are done and their means can be read.
  mortise_event_fn_t on_test_epoch_end;
  // event->batch_idx counts from 0 within this evaluation.
  mortise_event_fn_t on_test_batch_start;
  // The batch's part of the means is counted.
  mortise_event_fn_t on_test_batch_end;
  // A prediction: the model is in evaluation mode and no gradients are recorded until the end.
  mortise_event_fn_t on_predict_start;
  // The metrics of this evaluation are there; modes are as before.
  mortise_event_fn_t on_predict_end;
  // Right after the start; one epoch an evaluation.
  mortise_event_fn_t on_predict_epoch_start;
  // All batches are done and their means can be read.
  mortise_event_fn_t on_predict_epoch_end;
  // event->batch_idx counts from 0 within this evaluation.
  mortise_event_fn_t on_predict_batch_start;
  // The batch's part of the means is counted.
  mortise_event_fn_t on_predict_batch_end;

  // The run failed or was interrupted. teardown follows.
  mortise_status_t (*on_exception)(void* self, const mortise_exception_event_t* event) MORTISE_NOEXCEPT;

  // Puts the plugin's state into a checkpoint, or takes it back. load is called only if the file has an entry.
  mortise_status_t (*state_save)(void* self, const mortise_state_event_t* event) MORTISE_NOEXCEPT;
  mortise_status_t (*state_load)(void* self, const mortise_state_event_t* event) MORTISE_NOEXCEPT;

  // A checkpoint is durable under its name. Every plugin is told, whoever saved it; none can be saved in here.
  // since 1.1
  mortise_status_t (*on_checkpoint_saved)(void* self, const mortise_checkpoint_event_t* event) MORTISE_NOEXCEPT;
  // A checkpoint was read into the run, states included: a fit goes on from it, and on_fit_start follows. since 1.1
  mortise_status_t (*on_checkpoint_loaded)(void* self, const mortise_checkpoint_event_t* event) MORTISE_NOEXCEPT;
} mortise_events_t;
