// Random numbers of the plugin's own: the model's are left alone.
//
// A plugin that draws from torch's generators, or from the C library's, would change the run that it only wants to
// watch, and could not be repeated.
#pragma once

#include "base.h"

#define MORTISE_RANDOM "mortise.random/1"

// GROWABLE.
typedef struct mortise_host_random {
  uint32_t struct_size;
  uint32_t reserved;

  // Fills a buffer with random bits from a generator that belongs to the instance. It starts from the run's seed and
  // the instance's name, so that one seed gives one result. [any-thread]
  mortise_status_t (*fill)(mortise_ctx_t* ctx, uint64_t* values, uint64_t count) MORTISE_NOEXCEPT;
} mortise_host_random_t;
