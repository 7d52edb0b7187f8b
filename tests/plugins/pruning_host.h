// A host of a few lines around the pruning plugin: one small model, services that note what was done to it.
#pragma once

// Tables grow at the end; a fake leaves out what its plugin does not call.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#include <mortise/mortise.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace pruning::testing {

// A parameter of the fake's model. Masked entries are zero as soon as a mask is set, as the real host does it.
struct FakeParameter {
  std::string name;
  std::string module;
  std::string module_type;
  std::vector<int64_t> shape;
  std::vector<float> values;
  bool shared = false;
  std::optional<std::vector<uint8_t>> mask = {};
};

// The fake is its own context: ctx is its address. Tensor handles: 1000 + i are the parameters, others are clones.
class FakeHost {
 public:
  FakeHost() { MORTISE_ENTRY(&host_, &plugin_); }
  FakeHost(const FakeHost&) = delete;
  ~FakeHost() { destroy(); }

  // --- what a test sets and looks at ---
  std::vector<FakeParameter> model;
  std::map<std::string, std::string> options;  // as a user writes them
  std::vector<std::string> lines;              // of the log
  std::map<mortise_handle_t, std::vector<float>> clones;
  std::string error;       // text of the last failure
  bool on_device = false;  // parameters have no address on the CPU
  uint64_t val_batches = 1;
  std::mt19937_64 bits;

  mortise_status_t create() {
    destroy();
    const auto status = plugin_->instance_create(ctx(), &self_);
    if (status != MORTISE_OK) self_ = nullptr;
    return status;
  }
  void destroy() {
    if (self_ == nullptr) return;
    plugin_->shutdown(ctx(), self_);
    plugin_->instance_destroy(self_);
    self_ = nullptr;
  }

  using Slot = mortise_event_fn_t mortise_events_t::*;
  // Raises one event; 0 where the plugin does not take it.
  mortise_status_t raise(Slot slot, uint64_t epoch = 0, mortise_stage_t stage = MORTISE_STAGE_TRAIN,
                         mortise_stage_t function = MORTISE_STAGE_TRAIN) {
    mortise_event_t event{};
    event.struct_size = sizeof event;
    event.function = function;
    event.stage = stage;
    event.epoch = epoch;
    const auto run = plugin_->events->*slot;
    return run == nullptr ? MORTISE_OK : run(self_, &event);
  }
  mortise_status_t start_fit() { return raise(&mortise_events_t::on_fit_start); }
  mortise_status_t end_epoch(uint64_t epoch = 0) { return raise(&mortise_events_t::on_train_epoch_end, epoch); }
  mortise_status_t validated(mortise_stage_t stage = MORTISE_STAGE_VALIDATE,
                             mortise_stage_t function = MORTISE_STAGE_TRAIN) {
    return raise(&mortise_events_t::on_validation_epoch_end, 0, stage, function);
  }
  void end_fit() {
    raise(&mortise_events_t::on_train_end);
    raise(&mortise_events_t::teardown);
  }
  void fail_fit() { raise(&mortise_events_t::teardown); }

 private:
  mortise_ctx_t* ctx() { return reinterpret_cast<mortise_ctx_t*>(this); }
  static FakeHost& of(mortise_ctx_t* ctx) { return *reinterpret_cast<FakeHost*>(ctx); }
  static std::string text(mortise_str_t value) { return std::string(value.ptr ? value.ptr : "", value.len); }
  static mortise_str_t str(const std::string& value) { return {value.data(), value.size()}; }

  std::vector<float>* tensor(mortise_handle_t handle) {
    if (handle >= 1000) return &model.at(handle - 1000).values;
    const auto found = clones.find(handle);
    return found == clones.end() ? nullptr : &found->second;
  }

  const mortise_option_t* declared(const std::string& key) const {
    for (uint64_t i = 0; i < plugin_->options.count; ++i) {
      const auto* option = reinterpret_cast<const mortise_option_t*>(static_cast<const char*>(plugin_->options.ptr) +
                                                                     i * plugin_->options.stride);
      if (text(option->key) == key) return option;
    }
    return nullptr;
  }

  // Kept until the next call: the text that a user wrote, or the default.
  const std::string* written(const std::string& key) {
    if (const auto found = options.find(key); found != options.end()) return &found->second;
    const auto* option = declared(key);
    if (option->default_value.ptr == nullptr) return nullptr;
    return &(defaults_[key] = text(option->default_value));
  }

  static mortise_status_t get_option(mortise_ctx_t* ctx, mortise_str_t key, mortise_value_t* value) noexcept {
    FakeHost& fake = of(ctx);
    *value = {};
    const auto* option = fake.declared(text(key));
    if (option == nullptr) return MORTISE_NOT_FOUND;
    const auto* written = fake.written(text(key));
    if (written == nullptr) return MORTISE_OK;
    const bool whole = written->find_first_not_of("-0123456789") == std::string::npos;
    if (option->type == MORTISE_OPTION_BOOL) {
      value->tag = MORTISE_VALUE_BOOL;
      value->as.integer = *written == "true";
    } else if (option->type == MORTISE_OPTION_INT || (option->type == MORTISE_OPTION_NUMBER && whole)) {
      value->tag = MORTISE_VALUE_INT;
      value->as.integer = std::atoll(written->c_str());
    } else if (option->type == MORTISE_OPTION_NUMBER) {
      value->tag = MORTISE_VALUE_DOUBLE;
      value->as.number = std::strtod(written->c_str(), nullptr);
    } else {
      value->tag = MORTISE_VALUE_STRING;
      value->as.text = written->data();
      value->count = written->size();
    }
    return MORTISE_OK;
  }
  static mortise_status_t get_item(mortise_ctx_t* ctx, mortise_str_t key, uint64_t index,
                                   mortise_str_t* item) noexcept {
    const auto* written = of(ctx).written(text(key));
    if (written == nullptr || written->empty()) return MORTISE_NOT_FOUND;
    size_t begin = 0;
    for (; index > 0; --index) {
      begin = written->find(',', begin);
      if (begin == std::string::npos) return MORTISE_NOT_FOUND;
      ++begin;
    }
    *item = {written->data() + begin, std::min(written->find(',', begin), written->size()) - begin};
    return MORTISE_OK;
  }

  static mortise_status_t parameter_count(mortise_ctx_t* ctx, uint64_t* count) noexcept {
    *count = of(ctx).model.size();
    return MORTISE_OK;
  }
  static mortise_status_t parameter_info(mortise_ctx_t* ctx, uint64_t index, mortise_parameter_info_t* info) noexcept {
    const FakeParameter& parameter = of(ctx).model.at(index);
    info->name = str(parameter.name);
    info->module = str(parameter.module);
    info->module_type = str(parameter.module_type);
    info->elements = parameter.values.size();
    info->dims = static_cast<uint32_t>(parameter.shape.size());
    std::copy(parameter.shape.begin(), parameter.shape.end(), info->shape);
    info->shared = parameter.shared;
    return MORTISE_OK;
  }
  static mortise_status_t parameter(mortise_ctx_t*, uint64_t index, mortise_handle_t* tensor) noexcept {
    *tensor = 1000 + index;
    return MORTISE_OK;
  }

  static mortise_status_t set_mask(mortise_ctx_t* ctx, uint64_t index, const uint8_t* keep,
                                   uint64_t elements) noexcept {
    FakeParameter& parameter = of(ctx).model.at(index);
    if (elements != parameter.values.size()) return MORTISE_INVALID_ARGUMENT;
    parameter.mask.emplace(keep, keep + elements);
    for (uint64_t i = 0; i < elements; ++i) {
      if (keep[i] == 0) parameter.values[i] = 0.0f;
    }
    return MORTISE_OK;
  }
  static mortise_status_t get_mask(mortise_ctx_t* ctx, uint64_t index, uint8_t* keep, uint64_t) noexcept {
    const auto& mask = of(ctx).model.at(index).mask;
    if (!mask) return MORTISE_NOT_FOUND;
    std::copy(mask->begin(), mask->end(), keep);
    return MORTISE_OK;
  }
  static mortise_status_t clear_mask(mortise_ctx_t* ctx, uint64_t index, uint32_t how) noexcept {
    if (index >= of(ctx).model.size()) return MORTISE_NOT_FOUND;  // of a model that is gone
    auto& mask = of(ctx).model[index].mask;
    if (!mask) return MORTISE_NOT_FOUND;
    if (how != MORTISE_MASK_BAKE) return MORTISE_INVALID_ARGUMENT;
    mask.reset();
    return MORTISE_OK;
  }

  static mortise_status_t clone(mortise_ctx_t* ctx, mortise_handle_t source, uint32_t device,
                                mortise_handle_t* made) noexcept {
    if (device != MORTISE_CPU) return MORTISE_UNSUPPORTED;
    *made = ++of(ctx).last_clone_;
    of(ctx).clones[*made] = *of(ctx).tensor(source);
    return MORTISE_OK;
  }
  static mortise_status_t release(mortise_ctx_t* ctx, mortise_handle_t tensor) noexcept {
    return of(ctx).clones.erase(tensor) == 1 ? MORTISE_OK : MORTISE_STALE_HANDLE;
  }
  static mortise_status_t info(mortise_ctx_t* ctx, mortise_handle_t tensor, mortise_tensor_info_t* info) noexcept {
    info->dtype = MORTISE_FLOAT32;
    info->device_type = of(ctx).on_device ? MORTISE_CUDA : MORTISE_CPU;
    info->elements = of(ctx).tensor(tensor)->size();
    return MORTISE_OK;
  }
  static mortise_status_t read(mortise_ctx_t* ctx, mortise_handle_t tensor, mortise_dtype_t, void* buffer,
                               uint64_t size_bytes) noexcept {
    std::memcpy(buffer, of(ctx).tensor(tensor)->data(), size_bytes);
    return MORTISE_OK;
  }
  static mortise_status_t copy(mortise_ctx_t* ctx, mortise_handle_t target, mortise_handle_t source) noexcept {
    *of(ctx).tensor(target) = *of(ctx).tensor(source);
    return MORTISE_OK;
  }
  static mortise_status_t data(mortise_ctx_t* ctx, mortise_handle_t tensor, void** first) noexcept {
    if (of(ctx).on_device) return MORTISE_UNSUPPORTED;
    *first = of(ctx).tensor(tensor)->data();
    return MORTISE_OK;
  }

  static mortise_status_t run_info(mortise_ctx_t* ctx, mortise_run_info_t* info) noexcept {
    info->val_batches = of(ctx).val_batches;
    return MORTISE_OK;
  }
  static mortise_status_t random(mortise_ctx_t* ctx, uint64_t* values, uint64_t count) noexcept {
    for (uint64_t i = 0; i < count; ++i) values[i] = of(ctx).bits();
    return MORTISE_OK;
  }
  static mortise_status_t write_line(mortise_ctx_t* ctx, uint32_t, mortise_str_t line) noexcept {
    of(ctx).lines.push_back(text(line));
    return MORTISE_OK;
  }
  static void set_error(mortise_ctx_t* ctx, mortise_str_t message) noexcept { of(ctx).error = text(message); }

  static mortise_status_t get_service(mortise_ctx_t*, mortise_str_t id, const void** table) noexcept {
    static const mortise_host_options_t options{sizeof options, 0, get_option, get_item};
    static const mortise_host_model_t model{sizeof model, 0, parameter_count, parameter_info, parameter, nullptr};
    static const mortise_host_masks_t masks{sizeof masks, 0, set_mask, get_mask, clear_mask};
    static const mortise_host_tensors_t tensors{sizeof tensors, 0,    nullptr, clone, release,
                                                info,           read, nullptr, copy,  data};
    static const mortise_host_run_t run{sizeof run, 0, run_info, nullptr, nullptr};
    static const mortise_host_random_t random_bits{sizeof random_bits, 0, random};
    static const mortise_host_log_t log{sizeof log, 0, write_line, set_error, nullptr};
    static const std::map<std::string, const void*> all{{MORTISE_OPTIONS, &options},   {MORTISE_MODEL, &model},
                                                        {MORTISE_MASKS, &masks},       {MORTISE_TENSORS, &tensors},
                                                        {MORTISE_RUN, &run},           {MORTISE_LOG, &log},
                                                        {MORTISE_RANDOM, &random_bits}};
    const auto found = all.find(text(id));
    *table = found == all.end() ? nullptr : found->second;
    return found == all.end() ? MORTISE_NOT_FOUND : MORTISE_OK;
  }

  const mortise_host_t host_{sizeof host_, MORTISE_ABI_MAJOR, MORTISE_ABI_MINOR, 0,
                             {nullptr, 0}, {nullptr, 0},      get_service};
  const mortise_plugin_t* plugin_ = nullptr;
  void* self_ = nullptr;
  std::map<std::string, std::string> defaults_;
  mortise_handle_t last_clone_ = 0;
};

}  // namespace pruning::testing
