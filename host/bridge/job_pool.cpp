#include "host/bridge/job_pool.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

namespace mortise::bridge {
namespace {

// One thread for all plugins, so that jobs never take more than one core from the training. They run in the order in
// which they were queued.
class Pool {
 public:
  void queue(std::shared_ptr<Job> job) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
    if (!started_) {
      // The thread is the host's. Under the tag of the plugin that happens to queue first it would count as
      // that plugin's, and its unload would wait for it in vain.
      ledger::TagScope host(0);
      std::thread([this] { work(); }).detach();  // as long as the process
      started_ = true;
    }
    wake_.notify_one();
  }

 private:
  // The lock is not held while a job runs, so that jobs may queue jobs.
  [[noreturn]] void work() {
    for (;;) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return !waiting_.empty(); });
        job = std::move(waiting_.front());
        waiting_.pop_front();
      }
      run(*job);
    }
  }

  // Runs a job under its plugin's tag, so that threads it starts are that plugin's. One that was cancelled while
  // it waited never starts, and its plugin reads MORTISE_CANCELLED.
  static void run(Job& job) {
    mortise_status_t result = MORTISE_CANCELLED;
    if (!job.cancelled) {
      ledger::TagScope plugin(job.tag);
      mortise_status_t (*call)(void*, mortise_handle_t) = job.run;  // may throw, whatever its type says
      try {
        result = call(job.user, job.handle);
      } catch (...) {
        // There is nobody to rethrow to: the plugin reads of it by jobs.wait.
        result = MORTISE_PLUGIN_FAILED;
      }
    }
    std::lock_guard lock(job.mutex);
    job.result = result;
    job.done = true;
    job.ended.notify_all();
  }

  std::mutex mutex_;  // guards waiting_ and started_
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Job>> waiting_;
  bool started_ = false;
};

}  // namespace

bool Job::wait(int64_t timeout_ns) {
  std::unique_lock lock(mutex);
  // wait_for with the longest duration overflows inside the library, so no deadline is a path of its own.
  if (timeout_ns == 0) {
    ended.wait(lock, [this] { return done; });
    return true;
  }
  return ended.wait_for(lock, std::chrono::nanoseconds(timeout_ns), [this] { return done; });
}

void queue_job(std::shared_ptr<Job> job) {
  static Pool& pool = *new Pool;  // its thread may outlive static destruction
  pool.queue(std::move(job));
}

void JobList::add(std::shared_ptr<Job> job) {
  std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
}

std::shared_ptr<Job> JobList::find(mortise_handle_t handle) const {
  std::lock_guard lock(mutex_);
  for (const auto& job : jobs_)
    if (job->handle == handle) return job;
  return nullptr;
}

// The pool keeps the job alive by its own pointer if it is still running.
void JobList::remove(mortise_handle_t handle) {
  std::lock_guard lock(mutex_);
  std::erase_if(jobs_, [handle](const auto& job) { return job->handle == handle; });
}

bool JobList::cancel_all(int64_t timeout_ns) {
  // A copy, because the wait must not hold the lock: a running job may ask for its own cancellation, which looks
  // here.
  std::vector<std::shared_ptr<Job>> jobs;
  {
    std::lock_guard lock(mutex_);
    jobs = jobs_;
  }
  // All are told before the first is waited for, so that those still queued end at once. A job is never killed: it
  // has to look at jobs.cancelled by itself.
  for (const auto& job : jobs) job->cancelled = true;
  return std::all_of(jobs.begin(), jobs.end(), [timeout_ns](const auto& job) { return job->wait(timeout_ns); });
}

}  // namespace mortise::bridge
