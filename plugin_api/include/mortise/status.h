// What a call can return. The text of an error travels beside the code (log.h).
#pragma once

#include "base.h"

// In few groups, each saying when to choose it. Never renumber.
enum {
  MORTISE_OK = 0,
  // The caller's mistake.
  MORTISE_INVALID_ARGUMENT = -1,  // a value out of range, a null pointer, bad UTF-8, a shape that does not fit
  MORTISE_NOT_FOUND = -2,         // no such parameter, metric, option, key or service
  MORTISE_WRONG_STATE = -3,       // the call is not possible at this point of the run
  MORTISE_WRONG_THREAD = -4,      // the call is not possible from this thread
  MORTISE_STALE_HANDLE = -5,      // the handle's thing was released
  MORTISE_BAD_HANDLE = -6,        // never a handle of this plugin, or one of another kind
  MORTISE_TOO_SMALL = -7,         // the buffer is too small; the needed length was written
  // The world's.
  MORTISE_UNSUPPORTED = -20,  // this host, device or data type cannot do it
  MORTISE_OUT_OF_MEMORY = -21,
  MORTISE_IO = -22,         // the file system refused; the text has the path and the reason
  MORTISE_CANCELLED = -23,  // the host asked this work to end
  // A failure inside.
  MORTISE_PLUGIN_FAILED = -40,  // the plugin's own error, with its text
  MORTISE_HOST_FAILED = -41,    // the host's or libtorch's, with its text
};
