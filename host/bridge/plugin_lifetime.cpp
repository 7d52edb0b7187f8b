// Loading and unloading of PluginInstance: the order of both is the product's promise (DESIGN.md, "Release").
#include <cstddef>

#include "host/bridge/plugin_instance.h"
#include "host/bridge/service.h"

namespace mortise::bridge {
namespace {

// Quarantined instances stay until the process ends: code that is still mapped may use its context.
void quarantine(std::unique_ptr<PluginInstance> instance) {
  static std::vector<std::unique_ptr<PluginInstance>>& kept = *new std::vector<std::unique_ptr<PluginInstance>>;
  kept.push_back(std::move(instance));
}

std::string text(const mortise_str_t& from) { return {from.ptr ? from.ptr : "", from.ptr ? from.len : 0}; }

std::vector<std::string> copy_texts(const mortise_span_t& span) {
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < span.count; ++i)
    texts.push_back(
        text(*reinterpret_cast<const mortise_str_t*>(static_cast<const char*>(span.ptr) + i * span.stride)));
  return texts;
}

// Calls the entry function; null and why if there is no descriptor.
Result<const mortise_plugin_t*> enter_library(const loader::Library& library) {
  mortise_status_t (*entry)(const mortise_host_t*, const mortise_plugin_t**) = library.entry();
  const mortise_plugin_t* plugin = nullptr;
  try {
    const mortise_status_t code = entry(&kHost, &plugin);
    if (code != MORTISE_OK)
      return Status(Code::kPlugin, std::string(MORTISE_ENTRY_NAME) + " refused with error " + std::to_string(code));
  } catch (const std::exception& error) {
    return Status(Code::kPlugin, std::string(MORTISE_ENTRY_NAME) + " threw: " + error.what());
  }
  if (!plugin) return Status(Code::kPlugin, std::string(MORTISE_ENTRY_NAME) + " gave no descriptor");
  return plugin;
}

Status check_descriptor(const mortise_plugin_t& plugin, const loader::PluginFile& file) {
  constexpr size_t kNeeded = offsetof(mortise_plugin_t, events) + sizeof(plugin.events);
  if (plugin.struct_size < kNeeded)
    return {Code::kPlugin, "its descriptor has struct_size " + std::to_string(plugin.struct_size) + ", at least " +
                               std::to_string(kNeeded) + " is needed: set it to sizeof(mortise_plugin_t)"};
  if (text(plugin.id) != file.id)
    return {Code::kPlugin, "its note says '" + file.id + "', its descriptor '" + text(plugin.id) + "'"};
  if (!plugin.instance_create || !plugin.instance_destroy)
    return {Code::kPlugin,
            std::string("its descriptor lacks ") + (plugin.instance_create ? "instance_destroy" : "instance_create")};
  for (const std::string& id : copy_texts(plugin.services))
    if (!find_service(id))
      return {Code::kPlugin, "it needs the service '" + id + "', which this host (" MORTISE_VERSION ") has not"};
  return {};
}

Status named(const std::string& name, const loader::PluginFile& file, const Status& why) {
  return why.within("plugin '" + name + "' (" + file.path.string() + ")");
}

std::string thread_line(const ledger::PluginThread& thread) {
  return "thread " + std::to_string(thread.tid) + " '" + thread.name + "' of the plugin still runs";
}

}  // namespace

Result<PluginDescription> describe(const loader::PluginFile& file) {
  if (Status fit = loader::compatible(file); !fit.ok()) return named(file.id, file, fit);
  Result<loader::Library> library = loader::Library::open(file);
  if (!library.ok()) return named(file.id, file, library.status());
  const Result<const mortise_plugin_t*> plugin = enter_library(*library);
  Status status = plugin.ok() ? check_descriptor(**plugin, file) : plugin.status();
  PluginDescription description;
  if (status.ok()) {
    description.options = copy_options((*plugin)->options);
    description.events = event_names((*plugin)->events);
    description.services = copy_texts((*plugin)->services);
  }
  (void)library->close();
  if (!status.ok()) return named(file.id, file, status);
  return description;
}

Status PluginInstance::start() {
  {
    ledger::TagScope tag(tag_);
    const Result<const mortise_plugin_t*> plugin = enter_library(library_);
    if (!plugin.ok()) return plugin.status();
    plugin_ = *plugin;
  }
  MORTISE_RETURN_IF_ERROR(check_descriptor(*plugin_, file_));
  events_ = plugin_->events;
  mortise_status_t (*create)(mortise_ctx_t*, void**) = plugin_->instance_create;
  return enter("instance_create", nullptr, nullptr, [&] { return create(&ctx_, &self_); });
}

Result<std::unique_ptr<PluginInstance>> PluginInstance::load(const loader::PluginFile& file, const std::string& name,
                                                             OptionValues options, const Environment& environment) {
  if (Status fit = loader::compatible(file); !fit.ok()) return named(name, file, fit);
  Result<loader::Library> library = loader::Library::open(file);
  if (!library.ok()) return named(name, file, library.status());
  std::unique_ptr<PluginInstance> instance(
      new PluginInstance(file, name, std::move(options), environment, std::move(*library)));
  const Status started = instance->start();
  if (started.ok()) return instance;
  ledger::Receipt receipt;
  instance->release_and_close(receipt, true);
  if (!receipt.unmapped) quarantine(std::move(instance));
  return named(name, file, started);
}

// True if nothing of the plugin runs any more, so that its code may go.
bool PluginInstance::shut_down(ledger::Receipt& receipt) {
  const bool jobs_ended = jobs_.cancel_all(environment_.unload_timeout_ns);
  if (!jobs_ended) receipt.residue.push_back("a job of the plugin still runs");
  mortise_status_t (*shutdown)(mortise_ctx_t*, void*) = plugin_->shutdown;
  if (shutdown) {
    const Status ended = enter("shutdown", nullptr, nullptr, [&] { return shutdown(&ctx_, self_); });
    if (!ended.ok()) receipt.shutdown_error = ended.message();
  }
  const bool threads_ended = ledger::wait_for_threads(tag_, environment_.unload_timeout_ns);
  for (const ledger::PluginThread& thread : ledger::threads_of(tag_)) receipt.residue.push_back(thread_line(thread));
  if (jobs_ended && threads_ended) {
    void (*destroy)(void*) = plugin_->instance_destroy;
    (void)enter("instance_destroy", nullptr, nullptr, [&] {
      destroy(self_);
      return MORTISE_OK;
    });
  }
  return jobs_ended && threads_ended;
}

void PluginInstance::release_and_close(ledger::Receipt& receipt, bool quiet) {
  gate_open_.store(false, std::memory_order_release);
  forget_dead_masks();
  ledger_.release_all();
  masks_.clear();
  for (ledger::Kind kind : ledger::kKinds) receipt.tallies[ledger::index_of(kind)] = ledger_.tally(kind);
  if (environment_.accelerator) environment_.accelerator->synchronize();
  if (!quiet) {
    receipt.why_mapped = receipt.residue.front();
    return;
  }
  const loader::Closed closed = library_.close();
  receipt.unmapped = closed.unmapped;
  receipt.why_mapped = closed.why_mapped;
}

ledger::Receipt PluginInstance::unload(std::unique_ptr<PluginInstance> instance) {
  const Clock& clock = instance->environment_.clock;
  const int64_t begin_ns = clock.now_ns();
  ledger::Receipt receipt;
  receipt.instance = instance->name_;
  receipt.plugin = instance->file_.id;
  receipt.version = instance->file_.version;
  receipt.path = instance->file_.path.string();
  const bool quiet = instance->shut_down(receipt);
  receipt.events = instance->event_calls_;
  receipt.event_ns = instance->event_ns_;
  instance->release_and_close(receipt, quiet);
  receipt.unload_ns = clock.now_ns() - begin_ns;
  receipt.verdict = ledger::judge(receipt);
  if (!receipt.unmapped) quarantine(std::move(instance));
  return receipt;
}

}  // namespace mortise::bridge
