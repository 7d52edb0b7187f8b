// Work beside the training and random numbers, in C++.
#pragma once

#include <mortise/cpp/service.hpp>

#include <limits>
#include <memory>
#include <span>
#include <utility>

namespace mortise {

// What a job can ask about itself.
class JobToken {
 public:
  JobToken(const detail::Link& link, mortise_handle_t handle) noexcept : link_(&link), handle_(handle) {}
  // True if the job should end soon. [any-thread]
  bool cancelled() const noexcept {
    return detail::has(link_->jobs, &mortise_host_jobs_t::cancelled) &&
           link_->jobs->cancelled(link_->ctx, handle_) != 0;
  }

 private:
  const detail::Link* link_;
  mortise_handle_t handle_;
};

// A queued job. Holds the code that it runs, so its end is awaited with the object.
template <class Work>
class Job {
 public:
  Job(const detail::Link& link, Work work) : state_(std::make_unique<State>(State{&link, std::move(work)})) {
    detail::call(link, link.jobs, &mortise_host_jobs_t::submit, mortise_job_fn_t{&run},
                 static_cast<void*>(state_.get()), &handle_);
  }
  Job(Job&& other) noexcept : state_(std::move(other.state_)), handle_(std::exchange(other.handle_, 0)) {}
  ~Job() {
    if (handle_ != 0) detail::release(*state_->link, state_->link->jobs, &mortise_host_jobs_t::wait, handle_, nullptr);
  }

  // Waits for the end.
  //   errors  Error if the job failed or never ran
  // [train-thread] [load-thread]
  void wait() {
    mortise_status_t result = MORTISE_OK;
    const detail::Link& link = *state_->link;
    detail::call(link, link.jobs, &mortise_host_jobs_t::wait, std::exchange(handle_, 0), &result);
    if (result != MORTISE_OK) throw Error(result, std::string("the job ended with ") + status_name(result));
  }

 private:
  struct State {
    const detail::Link* link;
    Work work;
  };
  static mortise_status_t run(void* user, mortise_handle_t job) noexcept {
    State& state = *static_cast<State*>(user);
    return detail::guarded(*state.link, [&] { state.work(JobToken(*state.link, job)); });
  }

  std::unique_ptr<State> state_;
  mortise_handle_t handle_ = 0;
};

class Jobs {
 public:
  explicit Jobs(const detail::Link& link) noexcept : link_(&link) {}

  // Queues work(JobToken). [train-thread] [load-thread]
  template <class Work>
  [[nodiscard]] Job<Work> submit(Work work) const {
    return Job<Work>(*link_, std::move(work));
  }

 private:
  const detail::Link* link_;
};

// Random bits of the plugin's own; works with the distributions of <random>. [any-thread]
class Random {
 public:
  using result_type = uint64_t;
  explicit Random(const detail::Link& link) noexcept : link_(&link) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() const {
    result_type bits = 0;
    fill({&bits, 1});
    return bits;
  }
  void fill(std::span<uint64_t> values) const {
    detail::call(*link_, link_->random, &mortise_host_random_t::fill, values.data(), uint64_t{values.size()});
  }

 private:
  const detail::Link* link_;
};

}  // namespace mortise
