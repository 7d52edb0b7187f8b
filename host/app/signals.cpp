// The first signal asks, the second one ends: a run that hangs can still be stopped from the keyboard.
#include "host/app/signals.h"

#include <csignal>

namespace mortise::app {
namespace {

std::atomic<bool> asked{false};
std::atomic<int> asked_by{0};
// A signal handler may touch a lock-free atomic, and little else.
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void handle(int signal) {
  int none = 0;
  asked_by.compare_exchange_strong(none, signal);
  if (asked.exchange(true)) {
    // Raised again with the default in place, so that the parent sees a process that died of the signal.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

// Without SA_RESTART: a blocking call is to return, so that the request is seen.
void watch_signals() {
  struct sigaction action = {};
  action.sa_handler = handle;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // nohup says that the end of the terminal is not to end us.
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  // Whoever reads our output may go; the training goes on, and the end says that the output was lost.
  std::signal(SIGPIPE, SIG_IGN);
}

const std::atomic<bool>& interrupted() { return asked; }
int interrupting_signal() { return asked_by; }

}  // namespace mortise::app
