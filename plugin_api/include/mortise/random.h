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
  // the instance's name, so that one seed gives one result.
  // [any-thread]
  mortise_status_t (*fill)(mortise_ctx_t* ctx, uint64_t* values, uint64_t count) MORTISE_NOEXCEPT;

  // Makes a generator for operators that take one (op.h), seeded from the instance's own numbers.
  //   device     MORTISE_CPU, or MORTISE_CUDA for the run's device
  //   generator  a thing of kind generator: release it with release
  // since 1.1
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*create_generator)(mortise_ctx_t* ctx, uint32_t device,
                                       mortise_handle_t* generator) MORTISE_NOEXCEPT;
  mortise_status_t (*release)(mortise_ctx_t* ctx, mortise_handle_t generator) MORTISE_NOEXCEPT;
} mortise_host_random_t;
