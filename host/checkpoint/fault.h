// What can be wrong with a file that should be a checkpoint.
#pragma once

#include <string>

#include "host/core/status.h"

namespace mortise::checkpoint {

enum class Fault {
  kCode,            // names a class or function that is not data
  kTruncated,       // ends too early
  kCorrupt,         // contradicts itself or its format
  kUnsupported,     // well formed, but uses what a training state need not
  kNotACheckpoint,  // is something else
  kTooLarge,        // claims more than a reader should allocate, walk or nest
};

// kData; the message begins with the category: "corrupt: ...", "not a checkpoint: ...".
Status fault(Fault category, const std::string& what);

}  // namespace mortise::checkpoint
