// The thread between a plugin's instance and the host: its context and the host's tables. Used by the other headers.
#pragma once

#include <mortise/checkpoint.h>
#include <mortise/cpp/error.hpp>
#include <mortise/cpp/text.hpp>
#include <mortise/exchange.h>
#include <mortise/file.h>
#include <mortise/hook.h>
#include <mortise/job.h>
#include <mortise/log.h>
#include <mortise/metric.h>
#include <mortise/model.h>
#include <mortise/option.h>
#include <mortise/plugin.h>
#include <mortise/random.h>
#include <mortise/run.h>
#include <mortise/state_dict.h>
#include <mortise/tensor.h>

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

namespace mortise::detail {

// The id of a table's type.
constexpr const char* id_of(const mortise_host_log_t*) { return MORTISE_LOG; }
constexpr const char* id_of(const mortise_host_options_t*) { return MORTISE_OPTIONS; }
constexpr const char* id_of(const mortise_host_run_t*) { return MORTISE_RUN; }
constexpr const char* id_of(const mortise_host_metrics_t*) { return MORTISE_METRICS; }
constexpr const char* id_of(const mortise_host_model_t*) { return MORTISE_MODEL; }
constexpr const char* id_of(const mortise_host_masks_t*) { return MORTISE_MASKS; }
constexpr const char* id_of(const mortise_host_tensors_t*) { return MORTISE_TENSORS; }
constexpr const char* id_of(const mortise_host_state_dict_t*) { return MORTISE_STATE_DICT; }
constexpr const char* id_of(const mortise_host_checkpoints_t*) { return MORTISE_CHECKPOINTS; }
constexpr const char* id_of(const mortise_host_files_t*) { return MORTISE_FILES; }
constexpr const char* id_of(const mortise_host_jobs_t*) { return MORTISE_JOBS; }
constexpr const char* id_of(const mortise_host_hooks_t*) { return MORTISE_HOOKS; }
constexpr const char* id_of(const mortise_host_random_t*) { return MORTISE_RANDOM; }
constexpr const char* id_of(const mortise_host_exchange_t*) { return MORTISE_EXCHANGE; }

// One for each instance, at a fixed address as long as the instance. Tables that the host lacks are null.
struct Link {
  Link(const mortise_host_t* host, mortise_ctx_t* context) noexcept : ctx(context) {
    find(host, log);
    find(host, options);
    find(host, run);
    find(host, metrics);
    find(host, model);
    find(host, masks);
    find(host, tensors);
    find(host, state_dict);
    find(host, checkpoints);
    find(host, files);
    find(host, jobs);
    find(host, hooks);
    find(host, random);
    find(host, exchange);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  mortise_ctx_t* ctx;
  bool open = true;  // false once no service may be called: owners then leave their things to the host
  const mortise_host_log_t* log = nullptr;
  const mortise_host_options_t* options = nullptr;
  const mortise_host_run_t* run = nullptr;
  const mortise_host_metrics_t* metrics = nullptr;
  const mortise_host_model_t* model = nullptr;
  const mortise_host_masks_t* masks = nullptr;
  const mortise_host_tensors_t* tensors = nullptr;
  const mortise_host_state_dict_t* state_dict = nullptr;
  const mortise_host_checkpoints_t* checkpoints = nullptr;
  const mortise_host_files_t* files = nullptr;
  const mortise_host_jobs_t* jobs = nullptr;
  const mortise_host_hooks_t* hooks = nullptr;
  const mortise_host_random_t* random = nullptr;
  const mortise_host_exchange_t* exchange = nullptr;

 private:
  template <class Table>
  void find(const mortise_host_t* host, const Table*& table) noexcept {
    const void* found = nullptr;
    if (host->get_service(ctx, to_str(id_of(table)), &found) == MORTISE_OK) table = static_cast<const Table*>(found);
  }
};

// Whether a table has a function: known to the host that wrote it, and filled.
template <class Table, class Function>
bool has(const Table* table, Function Table::*slot) noexcept {
  if (table == nullptr) return false;
  const auto end = reinterpret_cast<const char*>(&(table->*slot) + 1) - reinterpret_cast<const char*>(table);
  return table->struct_size >= static_cast<uint64_t>(end) && table->*slot != nullptr;
}

inline std::string last_error(const Link& link, mortise_status_t code) {
  mortise_str_t text{};
  if (has(link.log, &mortise_host_log_t::last_error)) link.log->last_error(link.ctx, &text);
  return text.len != 0 ? std::string(to_view(text)) : std::string("the host answered ") + status_name(code);
}

// Calls a function of a table. Its status comes back, except where the host has no such function.
template <class Table, class Function, class... Args>
mortise_status_t try_call(const Link& link, const Table* table, Function Table::*slot, Args... args) {
  if (!has(table, slot)) {
    throw Error(MORTISE_UNSUPPORTED, std::string("this host lacks a function of ") + id_of(table) + " that is needed");
  }
  return (table->*slot)(link.ctx, args...);
}

// The same, with every failure as an Error.
template <class Table, class Function, class... Args>
void call(const Link& link, const Table* table, Function Table::*slot, Args... args) {
  const mortise_status_t status = try_call(link, table, slot, args...);
  if (status != MORTISE_OK) throw Error(status, last_error(link, status));
}

// For lookups: false if there is no such thing.
template <class Table, class Function, class... Args>
bool found(const Link& link, const Table* table, Function Table::*slot, Args... args) {
  const mortise_status_t status = try_call(link, table, slot, args...);
  if (status == MORTISE_NOT_FOUND) return false;
  if (status != MORTISE_OK) throw Error(status, last_error(link, status));
  return true;
}

// For destructors: nothing can be done about a failure, and a closed link means that the host releases.
template <class Table, class... Args>
void release(const Link& link, const Table* table, mortise_status_t (*Table::*slot)(mortise_ctx_t*, Args...) noexcept,
             std::type_identity_t<Args>... args) noexcept {
  if (link.open && has(table, slot)) (table->*slot)(link.ctx, args...);
}

inline void set_error(const Link& link, std::string_view text) noexcept {
  if (has(link.log, &mortise_host_log_t::set_error)) link.log->set_error(link.ctx, to_str(text));
}

// Runs code of the plugin on behalf of the host; whatever it throws becomes a status and a text.
template <class Work>
mortise_status_t guarded(const Link& link, Work&& work) noexcept {
  try {
    work();
    return MORTISE_OK;
  } catch (const std::exception& failure) {
    set_error(link, failure.what());
  } catch (...) {
    set_error(link, "an exception that is no std::exception");
  }
  return MORTISE_PLUGIN_FAILED;
}

}  // namespace mortise::detail
