// Options: declared by the plugin, parsed, checked and explained by the host.
//
// A user writes --pruning.amount 0.5, or amount = 0.5 under [pruning] in a run file. A plugin never parses text.
#pragma once

#include "base.h"

// Type of an option. Never renumber.
enum {
  // true or false
  MORTISE_OPTION_BOOL = 1,
  // digits
  MORTISE_OPTION_INT = 2,
  // any number, nan, inf, -inf
  MORTISE_OPTION_DOUBLE = 3,
  // digits are an int, with a point or an exponent a double: 1 is a count, 1.0 a fraction
  MORTISE_OPTION_NUMBER = 4,
  // any text
  MORTISE_OPTION_STRING = 5,
  // one of choices
  MORTISE_OPTION_ENUM = 6,
  // relative to where the host was started
  MORTISE_OPTION_PATH = 7,
  // strings with commas between them; read as one string per index
  MORTISE_OPTION_LIST = 8,
};

// Flags of an option.
enum {
  // a run without it is refused
  MORTISE_OPTION_REQUIRED = 1u << 0,
};

// One option. GROWABLE, static and const.
typedef struct mortise_option {
  uint32_t struct_size;
  // MORTISE_OPTION_*
  uint32_t type;
  // MORTISE_OPTION_REQUIRED or 0
  uint32_t flags;
  uint32_t reserved;
  // lower case with underscores: pruning_dim; a user may write hyphens
  mortise_str_t key;
  // as a user would write it; null ptr: not set unless the user sets it
  mortise_str_t default_value;
  // ENUM: names with commas between them
  mortise_str_t choices;
  // "epochs", "checks", ...; may be empty
  mortise_str_t unit;
  // one sentence
  mortise_str_t help;
  // numbers: the least value; NAN: no bound
  double min;
  // numbers: the greatest value; NAN: no bound
  double max;
} mortise_option_t;

#define MORTISE_OPTIONS "mortise.options/1"

// Reads the caller's own options. GROWABLE.
typedef struct mortise_host_options {
  uint32_t struct_size;
  uint32_t reserved;

  // The value of an option, from the command line, the run file or its default.
  //   value   tag NONE if it is not set; text is valid as long as the instance; of a LIST the number of its items
  //   errors  MORTISE_NOT_FOUND if the plugin has not declared the key
  // [any-thread]
  mortise_status_t (*get)(mortise_ctx_t* ctx, mortise_str_t key, mortise_value_t* value) MORTISE_NOEXCEPT;

  // Element number index of a LIST.
  //   errors  MORTISE_NOT_FOUND past the end
  // [any-thread]
  mortise_status_t (*get_item)(mortise_ctx_t* ctx, mortise_str_t key, uint64_t index,
                               mortise_str_t* item) MORTISE_NOEXCEPT;
} mortise_host_options_t;
