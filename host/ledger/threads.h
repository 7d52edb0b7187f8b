// Which plugin started which thread.
//
// The executable exports pthread_create (app/pthread_create.cpp), so that threads started by plugins, directly or
// through libstdc++, pass through here. A program that links the host and does not export it has no attribution, only
// the count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mortise::ledger {

// A number for each loaded plugin instance; 0 is the host.
using Tag = uint64_t;

// The tag of whatever code this thread runs. Set around each call into a plugin, reset around each call back into the
// host.
namespace detail {
inline constinit thread_local Tag running_tag = 0;
}
class TagScope {
 public:
  explicit TagScope(Tag tag) : previous_(detail::running_tag) { detail::running_tag = tag; }
  ~TagScope() { detail::running_tag = previous_; }
  TagScope(const TagScope&) = delete;
  TagScope& operator=(const TagScope&) = delete;

 private:
  Tag previous_;
};
inline Tag current_tag() { return detail::running_tag; }

// Called by a new thread, with the tag of the thread that started it, and at its end.
void thread_started(Tag tag);
void thread_ended();

struct PluginThread {
  int64_t tid = 0;
  std::string name;
};
// Live threads of a plugin instance.
std::vector<PluginThread> threads_of(Tag tag);

// Waits until a plugin has no live threads; false if the deadline passed first.
bool wait_for_threads(Tag tag, int64_t timeout_ns);

}  // namespace mortise::ledger
