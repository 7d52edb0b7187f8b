// SIGINT and SIGTERM ask a run to end after its batch; a second one ends the process.
#pragma once

#include <atomic>

namespace mortise::app {

// Installs the handlers for the life of the process.
void watch_signals();
const std::atomic<bool>& interrupted();

}  // namespace mortise::app
