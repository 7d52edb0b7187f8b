// What the application gives to every plugin instance.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "host/core/clock.h"
#include "host/core/log.h"
#include "host/ledger/accelerator.h"

namespace mortise::bridge {

// What a failing plugin does to the run.
enum class OnPluginError {
  kStop,    // the run fails
  kDetach,  // an error in the log; the plugin is unloaded, and the run goes on without it
  kIgnore,  // a warning, and the run goes on
};

// All that is referred to outlives the instances.
struct Environment {
  Log& log;
  const Clock& clock;
  std::string run_directory;  // absolute; may be made when something is written
  uint64_t seed = 0;          // of the plugins' random numbers
  OnPluginError on_error = OnPluginError::kStop;
  int64_t unload_timeout_ns = 5'000'000'000;   // for jobs and threads to end
  ledger::Accelerator* accelerator = nullptr;  // null: a run on the CPU
  // Called when a plugin says which checkpoint is the best and which the last; empty: none.
  std::function<void(const std::string& best, const std::string& last)> announce = {};
};

}  // namespace mortise::bridge
