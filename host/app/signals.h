// SIGINT, SIGTERM and SIGHUP ask a run to end after its batch; a second one ends the process.
#pragma once

#include <atomic>

namespace mortise::app {

// Installs the handlers for the life of the process.
void watch_signals();
const std::atomic<bool>& interrupted();
// Which one asked first: a shell's exit status is 128 and its number. 0: none did.
int interrupting_signal();

}  // namespace mortise::app
