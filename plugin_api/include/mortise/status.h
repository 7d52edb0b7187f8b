// What a call can return. The text of an error travels beside the code (log.h).
#pragma once

#include "base.h"

// In few groups, each saying when to choose it. Never renumber.
enum {
  // the only success
  MORTISE_OK = 0,

  // The caller's mistake.

  // a value out of range, a null pointer, bad UTF-8, a shape that does not fit
  MORTISE_INVALID_ARGUMENT = -1,
  // no such parameter, metric, option, key or service
  MORTISE_NOT_FOUND = -2,
  // the call is not possible at this point of the run
  MORTISE_WRONG_STATE = -3,
  // the call is not possible from this thread
  MORTISE_WRONG_THREAD = -4,
  // the handle's thing was released
  MORTISE_STALE_HANDLE = -5,
  // never a handle of this plugin, or one of another kind
  MORTISE_BAD_HANDLE = -6,
  // the buffer is too small; the needed length was written
  MORTISE_TOO_SMALL = -7,
  // the plugin declared that it does no such thing (MORTISE_PLUGIN_OBSERVER), or the moment forbids it
  MORTISE_DENIED = -8,

  // The world's.

  // this host, device or data type cannot do it
  MORTISE_UNSUPPORTED = -20,
  // of the host's memory or of the device's
  MORTISE_OUT_OF_MEMORY = -21,
  // the file system refused; the text has the path and the reason
  MORTISE_IO = -22,
  // the host asked this work to end
  MORTISE_CANCELLED = -23,
  // a deadline passed
  MORTISE_TIMED_OUT = -24,

  // A failure inside.

  // the plugin's own error, with its text
  MORTISE_PLUGIN_FAILED = -40,
  // the host's or libtorch's, with its text
  MORTISE_HOST_FAILED = -41,
  // the GPU's or its driver's, with its name for the error
  MORTISE_DEVICE_FAILED = -42,
};
