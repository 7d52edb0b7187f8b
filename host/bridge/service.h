// What every service shares: finding the caller, checking its thread and state, errors with a text.
#pragma once

#include <c10/util/Exception.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <type_traits>

#include "host/bridge/border_watch.h"
#include "host/bridge/contexts.h"
#include "host/bridge/plugin_instance.h"
#include "mortise/mortise.h"

namespace mortise::bridge {

// Where a service may be called.
enum class From {
  kAnywhere,
  kOwner,  // the load- or train-thread
  kRun,    // the train-thread, inside an event
};

// A failed service call: the code it returns and the text that last_error gives.
struct ServiceError {
  mortise_status_t code;
  std::string text;
};

// The newest error text of this thread.
std::string& last_error_text();

// Checks the caller; the status is MORTISE_OK or what the service returns at once.
mortise_status_t admit(mortise_ctx_t* ctx, const char* service, From from);
mortise_status_t refuse(const char* service, mortise_status_t code, const std::string& text);

// The body of a service function: host code runs under the host's tag, and nothing it throws crosses the border.
//   body  takes the instance, throws ServiceError to refuse
template <typename Body>
mortise_status_t serve(mortise_ctx_t* ctx, const char* service, From from, Body body) noexcept {
  try {
    ledger::TagScope host(0);
    if (mortise_status_t refused = admit(ctx, service, from)) return refused;
    if (mortise_status_t failed = asked_to_fail(service)) return refuse(service, failed, "failed as a trial");
    body(*instance_of(ctx));
    return MORTISE_OK;
  } catch (const ServiceError& error) {
    return refuse(service, error.code, error.text);
  } catch (const std::bad_alloc&) {
    return refuse(service, MORTISE_OUT_OF_MEMORY, "out of memory");
  } catch (const c10::Error& error) {
    return refuse(service, MORTISE_HOST_FAILED, error.what_without_backtrace());
  } catch (const std::exception& error) {
    return refuse(service, MORTISE_HOST_FAILED, error.what());
  }
}

// Text of the caller's, checked.
std::string text_of(mortise_str_t text, const char* what);
// A host text for the plugin to read; the caller sees to it that the text outlives the use.
inline mortise_str_t view(const std::string& text) { return {text.data(), text.size()}; }
// A pointer of the caller's that must not be null.
void need(const void* pointer, const char* what);
// Throws unless the handle was found.
void check_handle(ledger::HandleError error, mortise_handle_t handle, const char* kind);
// The thing behind a handle of the caller's.
template <typename Kept>
std::shared_ptr<Kept> find_resource(PluginInstance& plugin, ledger::Kind kind, mortise_handle_t handle) {
  ledger::HandleError error;
  std::shared_ptr<ledger::Resource> found = plugin.ledger().find(kind, handle, &error);
  check_handle(error, handle, ledger::kind_name(kind));
  return std::static_pointer_cast<Kept>(std::move(found));
}
// The tensor behind a handle, lent or the caller's own; throws.
at::Tensor find_tensor(PluginInstance& plugin, mortise_handle_t handle);
// The same, to be written into: MORTISE_DENIED for what an observer, or the moment, may not change.
at::Tensor find_writable_tensor(PluginInstance& plugin, mortise_handle_t handle);
// Refuses an observer what would change the model, the optimiser or the run.
void deny_observer(const PluginInstance& plugin);
// A tensor of the caller's own from now on: counted until it or unload releases it.
mortise_handle_t own(PluginInstance& plugin, at::Tensor tensor);
// Lends a tensor until the running event returns.
//   writable  false: find_writable_tensor refuses it
mortise_handle_t lend(PluginInstance& plugin, at::Tensor tensor, bool writable);
// Turns a failed Status into a ServiceError.
void check(const Status& status);

// Fills a growable struct as far as its reader knows it.
template <typename Struct>
void fill(Struct* out, Struct full) {
  const uint32_t known = out->struct_size;
  if (known < sizeof(uint32_t))
    throw ServiceError{MORTISE_INVALID_ARGUMENT,
                       "struct_size is " + std::to_string(known) + ": set it before the call"};
  full.struct_size = known;
  std::memcpy(out, &full, std::min<size_t>(known, sizeof full));
}

// A tensor in the ledger.
struct TensorResource : ledger::Resource {
  explicit TensorResource(at::Tensor held, bool may_write = true) : tensor(std::move(held)), writable(may_write) {}
  int64_t size_bytes() const override;
  ledger::Device device() const override;
  at::Tensor tensor;
  bool writable;  // through the host; false for what the caller may only look at
};

// The tables, one a file.
extern const mortise_host_checkpoints_t kCheckpointsService;
extern const mortise_host_exchange_t kExchangeService;
extern const mortise_host_files_t kFilesService;
extern const mortise_host_hooks_t kHooksService;
extern const mortise_host_jobs_t kJobsService;
extern const mortise_host_log_t kLogService;
extern const mortise_host_masks_t kMasksService;
extern const mortise_host_metrics_t kMetricsService;
extern const mortise_host_model_t kModelService;
extern const mortise_host_options_t kOptionsService;
extern const mortise_host_random_t kRandomService;
extern const mortise_host_run_t kRunService;
extern const mortise_host_state_dict_t kStateDictService;
extern const mortise_host_tensors_t kTensorsService;

// The host as the entry function sees it.
extern const mortise_host_t kHost;
// Lightning names of the slots that are filled.
std::vector<std::string> event_names(const mortise_events_t* events);
// The table of an id; null if there is none.
const void* find_service(const std::string& id);

}  // namespace mortise::bridge
