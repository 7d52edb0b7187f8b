// mortise.jobs/1: work that a plugin moves off the train-thread.
#include "host/bridge/job_pool.h"
#include "host/bridge/service.h"

namespace mortise::bridge {
namespace {

// Unload cancels and waits through the instance's list before it releases this.
struct JobResource : ledger::Resource {};

// Listed before it is queued: a job that asks at once whether it was cancelled must find itself.
mortise_status_t submit(mortise_ctx_t* ctx, mortise_job_fn_t run, void* user, mortise_handle_t* handle) noexcept {
  return serve(ctx, "jobs.submit", From::kOwner, [&](PluginInstance& plugin) {
    need(reinterpret_cast<const void*>(run), "run");
    need(handle, "job");
    auto job = std::make_shared<Job>();
    job->run = run;
    job->user = user;
    job->tag = plugin.tag();
    job->handle = *handle = plugin.ledger().add(ledger::Kind::kJob, std::make_shared<JobResource>());
    plugin.jobs().add(job);
    queue_job(job);
  });
}

// Blocks without a deadline, as the plugin asked for it. Afterwards the handle is stale, so that a result is read
// once.
mortise_status_t wait(mortise_ctx_t* ctx, mortise_handle_t handle, mortise_status_t* result) noexcept {
  return serve(ctx, "jobs.wait", From::kOwner, [&](PluginInstance& plugin) {
    (void)find_resource<ledger::Resource>(plugin, ledger::Kind::kJob, handle);
    const std::shared_ptr<Job> job = plugin.jobs().find(handle);
    job->wait();
    if (result) *result = job->result;
    plugin.jobs().remove(handle);
    check_handle(plugin.ledger().release(ledger::Kind::kJob, handle), handle, "job");
  });
}

uint32_t cancelled(mortise_ctx_t* ctx, mortise_handle_t handle) noexcept {
  uint32_t yes = 1;  // of an unknown job, too: it has nothing left to do
  (void)serve(ctx, "jobs.cancelled", From::kAnywhere, [&](PluginInstance& plugin) {
    const std::shared_ptr<Job> job = plugin.jobs().find(handle);
    if (job) yes = job->cancelled;
  });
  return yes;
}

}  // namespace

const mortise_host_jobs_t kJobsService = {sizeof(mortise_host_jobs_t), 0, submit, wait, cancelled};

}  // namespace mortise::bridge
