// Loading and unloading of PluginInstance: the order of both is the product's promise (DESIGN.md, "Release").
#include <cstddef>

#include "host/bridge/copied_text.h"
#include "host/bridge/plugin_instance.h"
#include "host/bridge/service.h"

namespace mortise::bridge {
namespace {

// Quarantined instances stay until the process ends: code that is still mapped may use its context.
void quarantine(std::unique_ptr<PluginInstance> instance) {
  static std::vector<std::unique_ptr<PluginInstance>>& kept = *new std::vector<std::unique_ptr<PluginInstance>>;
  kept.push_back(std::move(instance));
}

// Calls the entry function; null and why if there is no descriptor.
Result<const mortise_plugin_t*> enter_library(const loader::Library& library) {
  // A plain function type instead of the header's noexcept one: a plugin in C++ may throw all the same, and the
  // compiler must not drop the catch.
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

// What a plugin promises and lacks is an error here, never a silent nothing later. The id is compared with the
// note's because the note is what the user chose by.
Status check_descriptor(const mortise_plugin_t& plugin, const loader::PluginFile& file) {
  // Up to here every 1.0 plugin has it; members after that are looked at only as far as struct_size reaches.
  constexpr size_t kNeeded = offsetof(mortise_plugin_t, events) + sizeof(plugin.events);
  if (plugin.struct_size < kNeeded)
    return {Code::kPlugin, "its descriptor has struct_size " + std::to_string(plugin.struct_size) + ", at least " +
                               std::to_string(kNeeded) + " is needed: set it to sizeof(mortise_plugin_t)"};
  if (copied(plugin.id) != file.id)
    return {Code::kPlugin, "its note says '" + file.id + "', its descriptor '" + copied(plugin.id) + "'"};
  if (!plugin.instance_create || !plugin.instance_destroy)
    return {Code::kPlugin,
            std::string("its descriptor lacks ") + (plugin.instance_create ? "instance_destroy" : "instance_create")};
  // Refused at load, with the name: a missing service found at step 10000 would cost the run.
  for (const std::string& id : copied(plugin.services))
    if (!find_service(id))
      return {Code::kPlugin, "it needs the service '" + id + "', which this host (" MORTISE_VERSION ") has not"};
  return {};
}

// Which plugin and which file, around whatever went wrong.
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
    description.services = copied((*plugin)->services);
    description.order = wishes_of(**plugin);
  }
  // The result does not matter: a description holds nothing of the library's memory. If the code stays mapped, the
  // later load takes a copy of its own.
  (void)library->close();
  if (!status.ok()) return named(file.id, file, status);
  return description;
}

Status PluginInstance::start() {
  {
    // The entry function counts as the plugin's: a thread that it starts must be found at unload.
    ledger::TagScope tag(tag_);
    const Result<const mortise_plugin_t*> plugin = enter_library(library_);
    if (!plugin.ok()) return plugin.status();
    plugin_ = *plugin;
  }
  MORTISE_RETURN_IF_ERROR(check_descriptor(*plugin_, file_));
  // The table is the library's own memory, read in place until the library is closed.
  events_ = plugin_->events;
  mortise_status_t (*create)(mortise_ctx_t*, void**) = plugin_->instance_create;
  // No trainer yet: services of a run are refused in here, those of anywhere are not.
  being_created_ = true;
  Status created = enter("instance_create", nullptr, nullptr, [&] { return create(ctx_, &self_); });
  being_created_ = false;
  return created;
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
  // There is no instance to destroy; what instance_create made and started before it failed has to end all the same.
  instance->close_gate();
  instance->release_and_close(receipt, instance->come_to_rest(receipt));
  if (!receipt.unmapped) quarantine(std::move(instance));
  return named(name, file, started);
}

void PluginInstance::close_gate() { gate_open_.store(false, std::memory_order_release); }

// Waits for jobs and threads until the deadline. True if nothing of the plugin runs any more, so that its code may go;
// what still runs is put on the receipt.
bool PluginInstance::come_to_rest(ledger::Receipt& receipt) {
  const bool jobs_ended = jobs_.cancel_all(environment_.unload_timeout_ns);
  if (!jobs_ended) receipt.residue.push_back("a job of the plugin still runs");
  // No force: ending a thread from outside would leave its locks held.
  const bool threads_ended = ledger::wait_for_threads(tag_, environment_.unload_timeout_ns);
  for (const ledger::PluginThread& thread : ledger::threads_of(tag_)) receipt.residue.push_back(thread_line(thread));
  return jobs_ended && threads_ended;
}

bool PluginInstance::shut_down(ledger::Receipt& receipt) {
  // Jobs first: they may use what shutdown frees. The gate is still open, because both may need services to end
  // well.
  (void)jobs_.cancel_all(environment_.unload_timeout_ns);
  mortise_status_t (*shutdown)(mortise_ctx_t*, void*) = plugin_->shutdown;
  if (shutdown) {
    const Status ended = enter("shutdown", nullptr, nullptr, [&] { return shutdown(ctx_, self_); });
    if (!ended.ok()) receipt.shutdown_error = ended.message();
  }
  // From here on every call of the plugin's is refused; what shutdown itself started is waited for.
  close_gate();
  if (!come_to_rest(receipt)) return false;
  // Whoever still ran might have used the instance, so it is destroyed only now.
  void (*destroy)(void*) = plugin_->instance_destroy;
  (void)enter("instance_destroy", nullptr, nullptr, [&] {
    destroy(self_);
    return MORTISE_OK;
  });
  return come_to_rest(receipt);  // a thread that instance_destroy started
}

void PluginInstance::release_and_close(ledger::Receipt& receipt, bool quiet) {
  forget_dead_masks();
  // Before the close, because hooks point into the library; the tallies are read after it, since they hold what
  // was forced.
  ledger_.release_all();
  masks_.clear();
  for (ledger::Kind kind : ledger::kKinds) receipt.tallies[ledger::index_of(kind)] = ledger_.tally(kind);
  // Kernels in flight may read what was freed or run code of the library's.
  if (environment_.accelerator) environment_.accelerator->synchronize();
  // A thread in unmapped code would end the process. What runs was put on the list by come_to_rest, so there is a
  // first.
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
  instance->joined_ = nullptr;  // what fails from here on concerns no run
  ledger::Receipt receipt;
  receipt.instance = instance->name_;
  receipt.plugin = instance->file_.id;
  receipt.version = instance->file_.version;
  receipt.path = instance->file_.path.string();
  receipt.detached_because = instance->fell_because_;
  // The order is fixed: quiesce, release, close, look. The verdict comes from what was found, last of all.
  const bool quiet = instance->shut_down(receipt);
  // With shutdown and instance_destroy, which are calls into the plugin like any other.
  receipt.events = instance->event_calls_;
  receipt.event_ns = instance->tick_scale_.ns(instance->event_ticks_);
  instance->release_and_close(receipt, quiet);
  receipt.unload_ns = clock.now_ns() - begin_ns;
  receipt.verdict = ledger::judge(receipt);
  if (!receipt.unmapped) quarantine(std::move(instance));
  return receipt;
}

}  // namespace mortise::bridge
