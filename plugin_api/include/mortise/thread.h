// Which thread this is, in the words of base.h. since 1.1
#pragma once

#include "base.h"

#define MORTISE_THREADS "mortise.threads/1"

// Kinds of threads. Never renumber.
enum {
  // outside any run
  MORTISE_THREAD_LOAD = 1,
  // inside an event
  MORTISE_THREAD_TRAIN = 2,
  MORTISE_THREAD_JOB = 3,
  MORTISE_THREAD_BACKWARD = 4,
  // any other: one that the plugin started
  MORTISE_THREAD_OWN = 5,
};

// GROWABLE.
typedef struct mortise_host_threads {
  uint32_t struct_size;
  uint32_t reserved;

  // Tells what may be called from here.
  //   thread  MORTISE_THREAD_*
  // [any-thread]
  mortise_status_t (*current)(mortise_ctx_t* ctx, uint32_t* thread) MORTISE_NOEXCEPT;
} mortise_host_threads_t;
