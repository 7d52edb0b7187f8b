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
    if (worker_ == 0) start_worker();
    wake_.notify_all();
  }

  void replace() {
    std::lock_guard lock(mutex_);
    start_worker();
    wake_.notify_all();
  }

 private:
  // REQUIRES: mutex_ held. The thread is the host's: under the tag of the plugin that happens to queue first it would
  // count as that plugin's, and its unload would wait for it in vain.
  void start_worker() {
    ledger::TagScope host(0);
    std::thread([this, number = ++worker_] { work(number); }).detach();  // as long as the process
  }

  // The lock is not held while a job runs, so that jobs may queue jobs. A worker that was replaced ends when it can.
  void work(int64_t number) {
    for (;;) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return number != worker_ || !waiting_.empty(); });
        if (number != worker_) return;
        job = std::move(waiting_.front());
        waiting_.pop_front();
      }
      run(*job);
    }
  }

  // Runs a job under its plugin's tag, so that threads it starts are that plugin's. One that was cancelled while
  // it waited never starts, and its plugin reads MORTISE_CANCELLED.
  static void run(Job& job) {
    if (!job.begin()) return;
    mortise_status_t result = MORTISE_PLUGIN_FAILED;
    {
      ledger::TagScope plugin(job.tag);
      mortise_status_t (*call)(void*, mortise_handle_t) = job.run;  // may throw, whatever its type says
      try {
        result = call(job.user, job.handle);
      } catch (...) {
        // There is nobody to rethrow to: the plugin reads of it by jobs.wait.
      }
    }
    job.end(result);
  }

  std::mutex mutex_;  // guards waiting_ and worker_
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Job>> waiting_;
  int64_t worker_ = 0;  // number of the one that works; 0: none was started
};

Pool& pool() {
  static Pool& kept = *new Pool;  // its threads may outlive static destruction
  return kept;
}

}  // namespace

bool Job::begin() {
  std::lock_guard lock(mutex);
  if (done) return false;
  started = true;
  return true;
}

void Job::end(mortise_status_t with) {
  std::lock_guard lock(mutex);
  result = with;
  done = true;
  ended.notify_all();
}

void Job::cancel() {
  cancelled = true;
  std::lock_guard lock(mutex);
  if (started || done) return;
  result = MORTISE_CANCELLED;
  done = true;
  ended.notify_all();
}

bool Job::wait(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex);
  return ended.wait_until(lock, deadline, [this] { return done; });
}

void Job::wait() {
  std::unique_lock lock(mutex);
  ended.wait(lock, [this] { return done; });
}

void queue_job(std::shared_ptr<Job> job) { pool().queue(std::move(job)); }

void replace_worker() { pool().replace(); }

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
  for (const auto& job : jobs) job->cancel();
  // One deadline for all, however many there are.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeout_ns);
  const bool ended = std::all_of(jobs.begin(), jobs.end(), [&](const auto& job) { return job->wait(deadline); });
  // Other plugins' jobs must not wait behind one that does not end.
  if (!ended) replace_worker();
  return ended;
}

}  // namespace mortise::bridge
