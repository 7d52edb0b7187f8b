// Work beside the training: jobs on the host's threads, so that a plugin needs none of its own.
//
// A job may call services tagged [job-thread] or [any-thread]. Jobs run one after another in the order of submit. One
// that does not end when it is asked to keeps its plugin's code mapped: the receipt says quarantined.
#pragma once

#include "base.h"

#define MORTISE_JOBS "mortise.jobs/1"

// What a job does. It returns soon after cancelled says so.
// [job-thread]
typedef mortise_status_t (*mortise_job_fn_t)(void* user, mortise_handle_t job) MORTISE_NOEXCEPT;

// GROWABLE.
typedef struct mortise_host_jobs {
  uint32_t struct_size;
  uint32_t reserved;

  // Queues a job. It is the caller's until wait; unload cancels and waits for the rest.
  // [train-thread] [load-thread]
  mortise_status_t (*submit)(mortise_ctx_t* ctx, mortise_job_fn_t run, void* user,
                             mortise_handle_t* job) MORTISE_NOEXCEPT;

  // Waits for the end of a job and releases it.
  //   result  what the job returned; MORTISE_CANCELLED if it never ran; may be null
  // [train-thread] [load-thread]
  mortise_status_t (*wait)(mortise_ctx_t* ctx, mortise_handle_t job, mortise_status_t* result) MORTISE_NOEXCEPT;

  // 1 if the job should end.
  // [any-thread]
  uint32_t (*cancelled)(mortise_ctx_t* ctx, mortise_handle_t job) MORTISE_NOEXCEPT;
} mortise_host_jobs_t;
