// A register of plugins' threads by their kernel ids. The host's own threads are not in it.
#include "host/ledger/threads.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

namespace mortise::ledger {
namespace {

using Time = std::chrono::steady_clock;

struct Entry {
  Tag tag = 0;
  bool ended = false;  // its function returned; the system may still be at its last steps
};

struct Registry {
  std::mutex mutex;  // guards all below
  std::condition_variable changed;
  std::map<int64_t, Entry> threads;  // by tid
};

// Never destroyed: threads end after main returns, too.
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

// The kernel's id, as /proc and tgkill have it; pthread_t says nothing once the thread is gone.
int64_t own_tid() { return syscall(SYS_gettid); }

// Signal 0 is sent to nobody: the kernel only says whether there is such a thread in this process.
bool exists(int64_t tid) { return syscall(SYS_tgkill, getpid(), tid, 0) == 0; }

// Empty if the thread ends meanwhile.
std::string name_of(int64_t tid) {
  std::ifstream file("/proc/self/task/" + std::to_string(tid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

// Forgets those that are wholly gone. REQUIRES: the registry's mutex held
void forget_gone(Registry& all) {
  std::erase_if(all.threads, [](const auto& item) { return item.second.ended && !exists(item.first); });
}

bool any_of_tag(const Registry& all, Tag tag, bool ended) {
  return std::any_of(all.threads.begin(), all.threads.end(),
                     [&](const auto& item) { return item.second.tag == tag && item.second.ended == ended; });
}

}  // namespace

// A new thread begins without a tag, so it is set first, also the host's 0. Ids are used again: one that is taken
// over overwrites its entry.
void thread_started(Tag tag) {
  detail::running_tag = tag;
  if (tag == 0) return;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  forget_gone(all);
  all.threads[own_tid()] = {tag, false};
}

void thread_ended() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.threads.find(own_tid());
  if (found == all.threads.end()) return;
  // Not erased yet: the thread itself is still running this code, and then destructors that may be the plugin's.
  found->second.ended = true;
  all.changed.notify_all();
}

std::vector<PluginThread> threads_of(Tag tag) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  forget_gone(all);
  std::vector<PluginThread> threads;
  for (const auto& [tid, entry] : all.threads) {
    if (entry.tag == tag) threads.push_back({tid, name_of(tid)});
  }
  return threads;
}

bool wait_for_threads(Tag tag, int64_t timeout_ns) {
  // One deadline for both phases.
  const auto deadline = Time::now() + std::chrono::nanoseconds(timeout_ns);
  Registry& all = registry();
  std::unique_lock lock(all.mutex);
  if (!all.changed.wait_until(lock, deadline, [&] { return !any_of_tag(all, tag, /*ended=*/false); })) return false;
  // Destructors of thread-specific data run after a thread's function has returned, and may be the plugin's code. The
  // system tells nobody when they are done, so it is asked.
  for (;;) {
    forget_gone(all);
    if (!any_of_tag(all, tag, /*ended=*/true)) return true;
    if (Time::now() >= deadline) return false;
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    lock.lock();
  }
}

}  // namespace mortise::ledger
