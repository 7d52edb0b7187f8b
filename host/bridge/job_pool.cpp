#include "host/bridge/job_pool.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

namespace mortise::bridge {
namespace {

class Pool {
 public:
  void queue(std::shared_ptr<Job> job) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
    if (!started_) {
      ledger::TagScope host(0);
      std::thread([this] { work(); }).detach();  // as long as the process
      started_ = true;
    }
    wake_.notify_one();
  }

 private:
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

  static void run(Job& job) {
    mortise_status_t result = MORTISE_CANCELLED;
    if (!job.cancelled) {
      ledger::TagScope plugin(job.tag);
      mortise_status_t (*call)(void*, mortise_handle_t) = job.run;  // may throw, whatever its type says
      try {
        result = call(job.user, job.handle);
      } catch (...) {
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

void JobList::remove(mortise_handle_t handle) {
  std::lock_guard lock(mutex_);
  std::erase_if(jobs_, [handle](const auto& job) { return job->handle == handle; });
}

bool JobList::cancel_all(int64_t timeout_ns) {
  std::vector<std::shared_ptr<Job>> jobs;
  {
    std::lock_guard lock(mutex_);
    jobs = jobs_;
  }
  for (const auto& job : jobs) job->cancelled = true;
  return std::all_of(jobs.begin(), jobs.end(), [timeout_ns](const auto& job) { return job->wait(timeout_ns); });
}

}  // namespace mortise::bridge
