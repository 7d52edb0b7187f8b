// Metrics: what the model and plugins log, and what a plugin can monitor (Lightning's callback_metrics).
#pragma once

#include "base.h"

#define MORTISE_METRICS "mortise.metrics/1"

// Precision in which a metric was logged; compare in it. Never renumber.
enum {
  MORTISE_METRIC_FLOAT32 = 1,
  MORTISE_METRIC_FLOAT64 = 2,
};

// GROWABLE.
typedef struct mortise_host_metrics {
  uint32_t struct_size;
  uint32_t reserved;

  // The newest value of a metric. A value on a device is waited for here and nowhere else.
  //   value      exact; round to float32 if precision says so
  //   precision  MORTISE_METRIC_*; may be null
  //   errors     MORTISE_NOT_FOUND if it was not logged in this run; the text lists the names there are
  // [train-thread]
  mortise_status_t (*get)(mortise_ctx_t* ctx, mortise_str_t name, double* value, uint32_t* precision) MORTISE_NOEXCEPT;

  // Logs a value under a name; a later one replaces it.
  // [train-thread]
  mortise_status_t (*log)(mortise_ctx_t* ctx, mortise_str_t name, double value) MORTISE_NOEXCEPT;

  // Name of metric number index, in the order of first logging.
  //   name    valid until the event returns
  //   errors  MORTISE_NOT_FOUND past the end
  // [train-thread]
  mortise_status_t (*name_at)(mortise_ctx_t* ctx, uint64_t index, mortise_str_t* name) MORTISE_NOEXCEPT;

  // Logs a value that lies on a device without waiting for it: whoever reads the metric waits.
  //   value   tensor of one element, of a floating type; copied
  //   errors  MORTISE_INVALID_ARGUMENT for more elements or another type
  // since 1.1
  // [train-thread]
  mortise_status_t (*log_tensor)(mortise_ctx_t* ctx, mortise_str_t name, mortise_handle_t value) MORTISE_NOEXCEPT;
} mortise_host_metrics_t;
