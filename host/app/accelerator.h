// The GPU part of the host: opened where a CUDA driver is present, before anything asks libtorch about CUDA.
#pragma once

#include <string>

#include "host/core/log.h"
#include "host/core/status.h"
#include "host/ledger/accelerator.h"

namespace mortise::app {

// The accelerator of device 0, or null without one. Once per process.
//   wanted  "auto", "cpu", "cuda"
//   errors  kUsage if "cuda" was asked for and is not to be had: says what is missing
Result<ledger::Accelerator*> open_accelerator(const std::string& wanted, Log& log);

}  // namespace mortise::app
