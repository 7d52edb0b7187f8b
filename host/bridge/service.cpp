#include "host/bridge/service.h"

#include <c10/core/DeviceType.h>

#include "host/core/text.h"

namespace mortise::bridge {

// Per thread, so that a service called from a job does not overwrite the text that the train-thread is about to
// read.
std::string& last_error_text() {
  thread_local std::string text;
  return text;
}

// The service's name goes first: a plugin that passes the text on tells its author which call it was.
mortise_status_t refuse(const char* service, mortise_status_t code, const std::string& text) {
  last_error_text() = std::string(service) + ": " + text;
  if (BorderWatch* watch = border_watch.load(std::memory_order_relaxed)) watch->refused(service, code, text);
  return code;
}

mortise_status_t admit(mortise_ctx_t* ctx, const char* service, From from) {
  // A quarantined instance's context stays valid, so its late calls end at the gate.
  const PluginInstance* const found = instance_of(ctx);
  if (!found)
    return refuse(service, MORTISE_INVALID_ARGUMENT,
                  "the context is not one that this host gave out, or its plugin is gone");
  const PluginInstance& caller = *found;
  if (!caller.gate_open()) return refuse(service, MORTISE_WRONG_STATE, "plugin '" + caller.name() + "' was unloaded");
  // The thread is asked before the state: trainer() may be read on the owner's thread only.
  if (from == From::kAnywhere) return MORTISE_OK;
  if (!caller.on_owner_thread())
    return refuse(service, MORTISE_WRONG_THREAD, "may be called from the train-thread only");
  if (from == From::kRun && !caller.trainer())
    return refuse(service, MORTISE_WRONG_STATE, "may be called inside an event of a run only");
  return MORTISE_OK;
}

std::string text_of(mortise_str_t text, const char* what) {
  if (text.len && !text.ptr) throw ServiceError{MORTISE_INVALID_ARGUMENT, std::string(what) + " is null"};
  std::string copy(text.ptr ? text.ptr : "", text.len);
  // Texts end up in JSON, in pickles and on terminals, which all assume UTF-8.
  if (copy.find('\0') != std::string::npos)
    throw ServiceError{MORTISE_INVALID_ARGUMENT, std::string(what) + " holds a zero byte"};
  if (!valid_utf8(copy)) throw ServiceError{MORTISE_INVALID_ARGUMENT, std::string(what) + " is not UTF-8"};
  return copy;
}

void need(const void* pointer, const char* what) {
  if (!pointer) throw ServiceError{MORTISE_INVALID_ARGUMENT, std::string(what) + " is null"};
}

void check_handle(ledger::HandleError error, mortise_handle_t handle, const char* kind) {
  if (error == ledger::HandleError::kNone) return;
  if (error == ledger::HandleError::kThread)
    throw ServiceError{MORTISE_WRONG_THREAD,
                       std::string("a ") + kind + " of an event may be used on the event's own thread only"};
  // Two codes, because the cures differ: a stale handle was kept too long, a bad one never was this plugin's.
  if (error == ledger::HandleError::kStale)
    throw ServiceError{MORTISE_STALE_HANDLE,
                       std::string("the ") + kind + " was released (handle " + std::to_string(handle) + ")"};
  throw ServiceError{MORTISE_BAD_HANDLE, "handle " + std::to_string(handle) + " is no " + kind + " of this plugin"};
}

// The host's codes are its own and may change; the C interface's are fixed. What has no counterpart is the host's
// failure, so that a plugin does not look for its own mistake.
void check(const Status& status) {
  if (status.ok()) return;
  mortise_status_t code = MORTISE_HOST_FAILED;
  if (status.code() == Code::kNotFound) code = MORTISE_NOT_FOUND;
  if (status.code() == Code::kIo || status.code() == Code::kData) code = MORTISE_IO;
  if (status.code() == Code::kUsage) code = MORTISE_INVALID_ARGUMENT;
  if (status.code() == Code::kPlugin) code = MORTISE_WRONG_STATE;
  throw ServiceError{code, status.message()};
}

at::Tensor find_tensor(PluginInstance& plugin, mortise_handle_t handle) {
  ledger::HandleError error;
  at::Tensor tensor = plugin.tensor(handle, &error).tensor;
  check_handle(error, handle, "tensor");
  return tensor;
}

at::Tensor find_writable_tensor(PluginInstance& plugin, mortise_handle_t handle) {
  ledger::HandleError error;
  PluginInstance::FoundTensor found = plugin.tensor(handle, &error);
  check_handle(error, handle, "tensor");
  if (!found.writable)
    throw ServiceError{MORTISE_DENIED, plugin.observer()
                                           ? "the plugin is declared as an observer: it may not write into this tensor"
                                           : "the model may not be changed at this moment"};
  return found.tensor;
}

void deny_observer(const PluginInstance& plugin) {
  if (plugin.observer())
    throw ServiceError{MORTISE_DENIED, "the plugin is declared as an observer (MORTISE_PLUGIN_OBSERVER)"};
}

mortise_handle_t own(PluginInstance& plugin, at::Tensor tensor) {
  return plugin.ledger().add(ledger::Kind::kTensor, std::make_shared<TensorResource>(std::move(tensor)));
}

mortise_handle_t lend(PluginInstance& plugin, at::Tensor tensor, bool writable) {
  return plugin.ledger().add(ledger::Kind::kTensor, std::make_shared<TensorResource>(std::move(tensor), writable),
                             true);
}

int64_t TensorResource::size_bytes() const { return static_cast<int64_t>(tensor.nbytes()); }

ledger::Device TensorResource::device() const {
  return tensor.device().is_cuda() ? ledger::Device::kCuda : ledger::Device::kCpu;
}

namespace {

// One line for each version of a service: an incompatible one gets an id of its own and stands beside the old.
struct Entry {
  const char* id;
  const void* table;
};

constexpr Entry kServices[] = {
    {MORTISE_CHECKPOINTS, &kCheckpointsService},
    {MORTISE_EXCHANGE, &kExchangeService},
    {MORTISE_FILES, &kFilesService},
    {MORTISE_HOOKS, &kHooksService},
    {MORTISE_JOBS, &kJobsService},
    {MORTISE_LOG, &kLogService},
    {MORTISE_MASKS, &kMasksService},
    {MORTISE_METRICS, &kMetricsService},
    {MORTISE_MODEL, &kModelService},
    {MORTISE_OPTIONS, &kOptionsService},
    {MORTISE_RANDOM, &kRandomService},
    {MORTISE_RUN, &kRunService},
    {MORTISE_STATE_DICT, &kStateDictService},
    {MORTISE_TENSORS, &kTensorsService},
};

// The context is not looked at: which services there are is the same for every plugin.
mortise_status_t get_service(mortise_ctx_t*, mortise_str_t id, const void** table) noexcept {
  if (!table || (id.len && !id.ptr)) return refuse("get_service", MORTISE_INVALID_ARGUMENT, "a pointer is null");
  const std::string name(id.ptr ? id.ptr : "", id.len);
  *table = find_service(name);
  if (*table) return MORTISE_OK;
  return refuse("get_service", MORTISE_NOT_FOUND, "this host has no service '" + name + "'");
}

}  // namespace

const void* find_service(const std::string& id) {
  for (const Entry& entry : kServices)
    if (id == entry.id) return entry.table;
  return nullptr;
}

// Constant, and as long-lived as the process: plugins keep the pointer.
const mortise_host_t kHost = {
    sizeof(mortise_host_t),
    MORTISE_ABI_MAJOR,
    MORTISE_ABI_MINOR,
    0,
    {"mortise", 7},
    {MORTISE_VERSION, sizeof(MORTISE_VERSION) - 1},
    get_service,
};

}  // namespace mortise::bridge
