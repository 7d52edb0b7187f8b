// A host of the C interface for tests of plugins in C++: plain maps behind the services, and a note of what was done.
#pragma once

// Tables grow at the end; a fake leaves out what its plugin does not call.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#include <mortise/mortise.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mortise/cpp/text.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mortise::testing {

inline std::string text_of(mortise_str_t text) { return text.len == 0 ? "" : std::string(text.ptr, text.len); }
inline mortise_str_t str_of(const std::string& text) { return {text.data(), text.size()}; }

// A dictionary as a plugin stores it. A handle is stored as its number.
struct Dict {
  using Item =
      std::variant<std::monostate, bool, int64_t, double, std::string, mortise_handle_t, std::unique_ptr<Dict>>;
  std::vector<std::pair<std::string, Item>> items;

  Item* find(const std::string& key) {
    for (auto& [name, item] : items) {
      if (name == key) return &item;
    }
    return nullptr;
  }
  Item& at(const std::string& key) {
    if (Item* item = find(key)) return *item;
    return items.emplace_back(key, std::monostate()).second;
  }
};

// The fake is its own context: ctx is its address. One instance of one plugin at a time.
class FakeHost {
 public:
  using Entry = mortise_status_t (*)(const mortise_host_t*, const mortise_plugin_t**) noexcept;
  explicit FakeHost(Entry entry) { entry(&host_, &plugin); }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;
  ~FakeHost() { destroy(); }

  // --- what a test sets ---
  std::map<std::string, std::string> options;  // as a user writes them
  std::vector<std::string> missing_services;   // ids that this host lacks
  mortise_run_info_t run{};
  std::map<std::string, std::pair<double, bool>> metrics;  // value, is float32
  std::string directory = "/nowhere";
  std::string resumed_from;
  std::function<mortise_status_t(const std::string& path, uint32_t flags)> save;
  mortise_status_t next_failure = MORTISE_OK;  // what a tensor's creation answers

  // --- what a test looks at ---
  const mortise_plugin_t* plugin = nullptr;
  std::vector<std::pair<uint32_t, std::string>> lines;  // level and text of the log
  std::string error;                                    // as set by the plugin
  std::string stop_reason;
  std::string state_key;
  std::string best, last;                  // as announced
  std::map<mortise_handle_t, int> things;  // live tensors, files, jobs and hooks
  std::string tensor_writes;               // "3=0.5 4<2 ": handle 3 was set to 0.5, handle 4 from handle 2

  mortise_status_t create() {
    destroy();
    const auto status = plugin->instance_create(ctx(), &self_);
    if (status != MORTISE_OK) self_ = nullptr;
    return status;
  }
  void destroy(bool with_shutdown = true) {
    if (self_ == nullptr) return;
    if (with_shutdown) plugin->shutdown(ctx(), self_);
    plugin->instance_destroy(self_);
    self_ = nullptr;
  }
  mortise_status_t shutdown() { return plugin->shutdown(ctx(), self_); }

  // Raises one event; OK where the plugin does not take it.
  mortise_status_t raise(mortise_event_fn_t mortise_events_t::*slot, mortise_event_t event = {}) {
    event.struct_size = sizeof event;
    if (event.function == 0) event.function = event.stage = MORTISE_STAGE_TRAIN;
    const auto handler = plugin->events->*slot;
    return handler == nullptr ? MORTISE_OK : handler(self_, &event);
  }
  mortise_status_t raise_exception(const std::string& message) {
    const mortise_exception_event_t event{sizeof event, 0, str_of(message)};
    return plugin->events->on_exception == nullptr ? MORTISE_OK : plugin->events->on_exception(self_, &event);
  }
  mortise_status_t save_state(Dict& state) { return with_state(plugin->events->state_save, state); }
  mortise_status_t load_state(Dict& state) { return with_state(plugin->events->state_load, state); }

 private:
  mortise_ctx_t* ctx() { return reinterpret_cast<mortise_ctx_t*>(this); }
  static FakeHost& of(mortise_ctx_t* ctx) { return *reinterpret_cast<FakeHost*>(ctx); }

  // A state's handle is its place in a list that lasts for the event.
  mortise_status_t with_state(mortise_status_t (*slot)(void*, const mortise_state_event_t*) noexcept, Dict& state) {
    const size_t open = dicts_.size();
    dicts_.push_back(&state);
    const mortise_state_event_t event{sizeof event, 0, open + 1};
    const auto status = slot(self_, &event);
    dicts_.resize(open);
    return status;
  }
  static Dict& dict(mortise_ctx_t* ctx, mortise_handle_t handle) { return *of(ctx).dicts_.at(handle - 1); }
  static mortise_handle_t open_dict(mortise_ctx_t* ctx, Dict& child) {
    of(ctx).dicts_.push_back(&child);
    return of(ctx).dicts_.size();
  }
  static mortise_status_t fail(mortise_ctx_t* ctx, mortise_status_t code, std::string message) {
    of(ctx).last_error_ = std::move(message);
    return code;
  }
  static mortise_status_t make(mortise_ctx_t* ctx, mortise_handle_t* made) {
    *made = ++of(ctx).last_handle_;
    of(ctx).things[*made] = 1;
    return MORTISE_OK;
  }
  static mortise_status_t end(mortise_ctx_t* ctx, mortise_handle_t thing) noexcept {
    return of(ctx).things.erase(thing) == 1 ? MORTISE_OK : fail(ctx, MORTISE_STALE_HANDLE, "released already");
  }

  const mortise_option_t* declared(const std::string& key) const {
    for (uint64_t i = 0; i < plugin->options.count; ++i) {
      const auto* option = reinterpret_cast<const mortise_option_t*>(static_cast<const char*>(plugin->options.ptr) +
                                                                     i * plugin->options.stride);
      if (text_of(option->key) == key) return option;
    }
    return nullptr;
  }
  static mortise_status_t get_option(mortise_ctx_t* ctx, mortise_str_t key, mortise_value_t* value) noexcept {
    FakeHost& fake = of(ctx);
    *value = {};
    const mortise_option_t* option = fake.declared(text_of(key));
    if (option == nullptr) return fail(ctx, MORTISE_NOT_FOUND, "no option " + text_of(key));
    std::string& written = fake.written_[text_of(key)];
    if (fake.options.count(text_of(key)) != 0) {
      written = fake.options[text_of(key)];
    } else if (option->default_value.ptr != nullptr) {
      written = text_of(option->default_value);
    } else {
      return MORTISE_OK;
    }
    if (option->type == MORTISE_OPTION_BOOL) {
      *value = {MORTISE_VALUE_BOOL, 0, {.integer = written == "true"}, 0};
    } else if (option->type == MORTISE_OPTION_INT) {
      *value = {MORTISE_VALUE_INT, 0, {.integer = std::atoll(written.c_str())}, 0};
    } else if (option->type == MORTISE_OPTION_DOUBLE) {
      *value = {MORTISE_VALUE_DOUBLE, 0, {.number = std::strtod(written.c_str(), nullptr)}, 0};
    } else {
      *value = {MORTISE_VALUE_STRING, 0, {.text = written.data()}, written.size()};
    }
    return MORTISE_OK;
  }
  static mortise_status_t get_item(mortise_ctx_t* ctx, mortise_str_t key, uint64_t index,
                                   mortise_str_t* item) noexcept {
    std::string rest = of(ctx).written_[text_of(key)];
    for (; index > 0; --index) {
      const size_t comma = rest.find(',');
      if (comma == std::string::npos) return MORTISE_NOT_FOUND;
      rest = rest.substr(comma + 1);
    }
    const auto& kept = *of(ctx).items_.emplace_back(std::make_unique<std::string>(rest.substr(0, rest.find(','))));
    *item = str_of(kept);
    return MORTISE_OK;
  }

  static mortise_status_t run_info(mortise_ctx_t* ctx, mortise_run_info_t* info) noexcept {
    *info = of(ctx).run;
    info->struct_size = sizeof *info;
    return MORTISE_OK;
  }
  static mortise_status_t request_stop(mortise_ctx_t* ctx, mortise_str_t reason) noexcept {
    of(ctx).stop_reason = text_of(reason);
    return MORTISE_OK;
  }
  static mortise_status_t run_directory(mortise_ctx_t* ctx, mortise_str_t* path) noexcept {
    *path = str_of(of(ctx).directory);
    return MORTISE_OK;
  }

  static mortise_status_t get_metric(mortise_ctx_t* ctx, mortise_str_t name, double* value,
                                     uint32_t* precision) noexcept {
    const auto found = of(ctx).metrics.find(text_of(name));
    if (found == of(ctx).metrics.end()) return fail(ctx, MORTISE_NOT_FOUND, "no metric " + text_of(name));
    *value = found->second.first;
    if (precision != nullptr) *precision = found->second.second ? MORTISE_METRIC_FLOAT32 : MORTISE_METRIC_FLOAT64;
    return MORTISE_OK;
  }
  static mortise_status_t log_metric(mortise_ctx_t* ctx, mortise_str_t name, double value) noexcept {
    of(ctx).metrics[text_of(name)] = {value, false};
    return MORTISE_OK;
  }
  static mortise_status_t metric_name(mortise_ctx_t* ctx, uint64_t index, mortise_str_t* name) noexcept {
    if (index >= of(ctx).metrics.size()) return MORTISE_NOT_FOUND;
    *name = str_of(std::next(of(ctx).metrics.begin(), static_cast<std::ptrdiff_t>(index))->first);
    return MORTISE_OK;
  }

  static mortise_status_t set_state_key(mortise_ctx_t* ctx, mortise_str_t key) noexcept {
    of(ctx).state_key = text_of(key);
    return MORTISE_OK;
  }
  static mortise_status_t put(mortise_ctx_t* ctx, mortise_handle_t handle, mortise_str_t key,
                              const mortise_value_t* value) noexcept {
    Dict::Item& item = dict(ctx, handle).at(text_of(key));
    switch (value->tag) {
      case MORTISE_VALUE_BOOL:
        item = value->as.integer != 0;
        break;
      case MORTISE_VALUE_INT:
        item = value->as.integer;
        break;
      case MORTISE_VALUE_DOUBLE:
      case MORTISE_VALUE_SCALAR:
        item = value->as.number;
        break;
      case MORTISE_VALUE_STRING:
        item = std::string(value->as.text, value->count);
        break;
      case MORTISE_VALUE_HANDLE:
        item = value->as.handle;
        break;
      default:
        item = std::monostate();
    }
    return MORTISE_OK;
  }
  static mortise_status_t put_dict(mortise_ctx_t* ctx, mortise_handle_t handle, mortise_str_t key,
                                   mortise_handle_t* child) noexcept {
    Dict::Item& item = dict(ctx, handle).at(text_of(key));
    *child = open_dict(ctx, *item.emplace<std::unique_ptr<Dict>>(std::make_unique<Dict>()));
    return MORTISE_OK;
  }
  static mortise_status_t get(mortise_ctx_t* ctx, mortise_handle_t handle, mortise_str_t key,
                              mortise_value_t* value) noexcept {
    const Dict::Item* item = dict(ctx, handle).find(text_of(key));
    if (item == nullptr) return fail(ctx, MORTISE_NOT_FOUND, "no key " + text_of(key));
    *value = {};
    if (const auto* flag = std::get_if<bool>(item)) *value = {MORTISE_VALUE_BOOL, 0, {.integer = *flag}, 0};
    if (const auto* whole = std::get_if<int64_t>(item)) *value = {MORTISE_VALUE_INT, 0, {.integer = *whole}, 0};
    if (const auto* number = std::get_if<double>(item)) *value = {MORTISE_VALUE_DOUBLE, 0, {.number = *number}, 0};
    if (const auto* tensor = std::get_if<mortise_handle_t>(item)) {
      *value = {MORTISE_VALUE_HANDLE, 0, {.handle = *tensor}, 0};
    }
    if (const auto* text = std::get_if<std::string>(item)) {
      *value = {MORTISE_VALUE_STRING, 0, {.text = text->data()}, text->size()};
    }
    return MORTISE_OK;
  }
  static mortise_status_t get_dict(mortise_ctx_t* ctx, mortise_handle_t handle, mortise_str_t key,
                                   mortise_handle_t* child) noexcept {
    Dict::Item* item = dict(ctx, handle).find(text_of(key));
    auto* inner = item == nullptr ? nullptr : std::get_if<std::unique_ptr<Dict>>(item);
    if (inner == nullptr) return MORTISE_NOT_FOUND;
    *child = open_dict(ctx, **inner);
    return MORTISE_OK;
  }
  static mortise_status_t key_at(mortise_ctx_t* ctx, mortise_handle_t handle, uint64_t index,
                                 mortise_str_t* key) noexcept {
    if (index >= dict(ctx, handle).items.size()) return MORTISE_NOT_FOUND;
    *key = str_of(dict(ctx, handle).items[index].first);
    return MORTISE_OK;
  }

  static mortise_status_t save_checkpoint(mortise_ctx_t* ctx, mortise_str_t path, uint32_t flags) noexcept {
    return of(ctx).save(text_of(path), flags);
  }
  static mortise_status_t announce(mortise_ctx_t* ctx, mortise_str_t best, mortise_str_t last) noexcept {
    of(ctx).best = text_of(best);
    of(ctx).last = text_of(last);
    return MORTISE_OK;
  }
  static mortise_status_t resumed(mortise_ctx_t* ctx, mortise_str_t* path) noexcept {
    *path = str_of(of(ctx).resumed_from);
    return MORTISE_OK;
  }

  static mortise_status_t create_tensor(mortise_ctx_t* ctx, mortise_dtype_t, const int64_t*, uint32_t, uint32_t,
                                        mortise_handle_t* tensor) noexcept {
    if (of(ctx).next_failure != MORTISE_OK) return fail(ctx, of(ctx).next_failure, "the device is full");
    return make(ctx, tensor);
  }
  static mortise_status_t write_tensor(mortise_ctx_t* ctx, mortise_handle_t tensor, mortise_dtype_t, const void* buffer,
                                       uint64_t) noexcept {
    of(ctx).tensor_writes += mortise::format("{}={} ", tensor, *static_cast<const double*>(buffer));
    return MORTISE_OK;
  }
  static mortise_status_t copy_tensor(mortise_ctx_t* ctx, mortise_handle_t target, mortise_handle_t source) noexcept {
    of(ctx).tensor_writes += mortise::format("{}<{} ", target, source);
    return MORTISE_OK;
  }
  static mortise_status_t create_file(mortise_ctx_t* ctx, mortise_str_t, mortise_handle_t* file) noexcept {
    return make(ctx, file);
  }
  // Jobs run at once.
  static mortise_status_t submit(mortise_ctx_t* ctx, mortise_job_fn_t work, void* user,
                                 mortise_handle_t* job) noexcept {
    make(ctx, job);
    of(ctx).job_result_ = work(user, *job);
    return MORTISE_OK;
  }
  static mortise_status_t wait(mortise_ctx_t* ctx, mortise_handle_t job, mortise_status_t* result) noexcept {
    if (result != nullptr) *result = of(ctx).job_result_;
    return end(ctx, job);
  }
  static uint32_t cancelled(mortise_ctx_t*, mortise_handle_t) noexcept { return 0; }
  static mortise_status_t on_gradient(mortise_ctx_t* ctx, uint64_t, mortise_gradient_fn_t, void*,
                                      mortise_handle_t* hook) noexcept {
    return make(ctx, hook);
  }

  static mortise_status_t write_line(mortise_ctx_t* ctx, uint32_t level, mortise_str_t line) noexcept {
    of(ctx).lines.emplace_back(level, text_of(line));
    return MORTISE_OK;
  }
  static void set_error(mortise_ctx_t* ctx, mortise_str_t message) noexcept { of(ctx).error = text_of(message); }
  static void last_error(mortise_ctx_t* ctx, mortise_str_t* message) noexcept {
    *message = str_of(of(ctx).last_error_);
  }

  // A model of three parameters, of which the last is the first again.
  static mortise_status_t parameter_count(mortise_ctx_t*, uint64_t* count) noexcept {
    *count = 3;
    return MORTISE_OK;
  }
  static mortise_status_t parameter_info(mortise_ctx_t*, uint64_t index, mortise_parameter_info_t* info) noexcept {
    static const std::string names[] = {"first", "second", "tied"};
    info->name = str_of(names[index]);
    info->shared = index == 2;
    return MORTISE_OK;
  }
  static mortise_status_t parameter(mortise_ctx_t*, uint64_t index, mortise_handle_t* tensor) noexcept {
    *tensor = 100 + index;
    return MORTISE_OK;
  }
  static mortise_status_t gradient(mortise_ctx_t*, uint64_t index, mortise_handle_t* tensor) noexcept {
    *tensor = 200 + index;
    return index == 0 ? MORTISE_NOT_FOUND : MORTISE_OK;
  }

  static mortise_status_t get_service(mortise_ctx_t* ctx, mortise_str_t id, const void** table) noexcept {
    static const mortise_host_options_t options{sizeof options, 0, get_option, get_item};
    static const mortise_host_run_t run{sizeof run, 0, run_info, request_stop, run_directory};
    static const mortise_host_metrics_t metrics{sizeof metrics, 0, get_metric, log_metric, metric_name};
    static const mortise_host_state_dict_t state{sizeof state, 0, set_state_key, put, put_dict, get, get_dict, key_at};
    static const mortise_host_checkpoints_t checkpoints{sizeof checkpoints, 0, save_checkpoint, announce, resumed};
    static const mortise_host_tensors_t tensors{sizeof tensors, 0,       create_tensor, nullptr,     end,
                                                nullptr,        nullptr, write_tensor,  copy_tensor, nullptr};
    static const mortise_host_files_t files{sizeof files, 0, create_file, nullptr, end, end};
    static const mortise_host_jobs_t jobs{sizeof jobs, 0, submit, wait, cancelled};
    static const mortise_host_hooks_t hooks{sizeof hooks, 0, on_gradient, end};
    static const mortise_host_model_t model{sizeof model, 0, parameter_count, parameter_info, parameter, gradient};
    static const mortise_host_log_t log{sizeof log, 0, write_line, set_error, last_error};
    static const std::map<std::string, const void*> all{{MORTISE_OPTIONS, &options},
                                                        {MORTISE_RUN, &run},
                                                        {MORTISE_METRICS, &metrics},
                                                        {MORTISE_STATE_DICT, &state},
                                                        {MORTISE_CHECKPOINTS, &checkpoints},
                                                        {MORTISE_TENSORS, &tensors},
                                                        {MORTISE_FILES, &files},
                                                        {MORTISE_JOBS, &jobs},
                                                        {MORTISE_HOOKS, &hooks},
                                                        {MORTISE_MODEL, &model},
                                                        {MORTISE_LOG, &log}};
    const auto found = all.find(text_of(id));
    const auto& missing = of(ctx).missing_services;
    const bool lacks = std::find(missing.begin(), missing.end(), text_of(id)) != missing.end();
    *table = found == all.end() || lacks ? nullptr : found->second;
    return *table == nullptr ? MORTISE_NOT_FOUND : MORTISE_OK;
  }

  const mortise_host_t host_{sizeof host_, MORTISE_ABI_MAJOR, MORTISE_ABI_MINOR, 0,
                             {nullptr, 0}, {nullptr, 0},      get_service};
  void* self_ = nullptr;
  std::vector<Dict*> dicts_;
  std::map<std::string, std::string> written_;
  std::vector<std::unique_ptr<std::string>> items_;
  std::string last_error_;
  mortise_handle_t last_handle_ = 0;
  mortise_status_t job_result_ = MORTISE_OK;
};

}  // namespace mortise::testing
