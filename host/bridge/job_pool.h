// Plugins' jobs on the host's thread, and the list of one instance's.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "host/ledger/threads.h"
#include "mortise/job.h"
#include "mortise/status.h"

namespace mortise::bridge {

// A function of a plugin to be run once. Shared by the pool, which runs it, and its instance's list, which waits for
// it.
struct Job {
  mortise_job_fn_t run = nullptr;
  void* user = nullptr;
  mortise_handle_t handle = 0;
  ledger::Tag tag = 0;
  std::atomic<bool> cancelled{false};

  std::mutex mutex;  // guards the rest
  std::condition_variable ended;
  bool started = false;
  bool done = false;
  mortise_status_t result = 0;

  // False if it was cancelled before it began: then it never runs.
  bool begin();
  void end(mortise_status_t with);
  // Tells a running job to end; one that still waits has ended with this.
  void cancel();
  // True if it ended before the deadline.
  bool wait(std::chrono::steady_clock::time_point deadline);
  void wait();
};

// Queues a job for the pool's one thread, which starts with the first job and lives as long as the process.
void queue_job(std::shared_ptr<Job> job);
// Lets another thread take over the queue: the one there is has a job that does not end.
void replace_worker();

// The jobs that one instance submitted and has not waited for.
class JobList {
 public:
  void add(std::shared_ptr<Job> job);
  std::shared_ptr<Job> find(mortise_handle_t handle) const;
  void remove(mortise_handle_t handle);
  // Cancels all and waits for them; false if one was still running at the deadline.
  bool cancel_all(int64_t timeout_ns);

 private:
  mutable std::mutex mutex_;  // guards jobs_
  std::vector<std::shared_ptr<Job>> jobs_;
};

}  // namespace mortise::bridge
