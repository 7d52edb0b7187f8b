// mortise.metrics/1: what the run logged, by Lightning's names.
#include <optional>

#include "host/bridge/service.h"
#include "host/core/text.h"
#include "host/training/trainer.h"

namespace mortise::bridge {
namespace {

// Names what there is: the usual mistake is a metric that is logged later, or under another name.
std::string missing(const std::string& name, const std::vector<std::string>& names) {
  const std::string there = names.empty() ? "nothing was logged yet" : "there are: " + join(names, ", ");
  return "no metric '" + name + "' was logged; " + there;
}

mortise_status_t get(mortise_ctx_t* ctx, mortise_str_t name, double* value, uint32_t* precision) noexcept {
  return serve(ctx, "metrics.get", From::kRun, [&](PluginInstance& plugin) {
    need(value, "value");
    const std::string key = text_of(name, "the name");
    training::Metrics& metrics = plugin.trainer()->metrics();
    const std::optional<training::Metric> metric = metrics.get(key);
    if (!metric) throw ServiceError{MORTISE_NOT_FOUND, missing(key, metrics.names())};
    *value = metric->value;
    // Whether the value was computed in float32 matters to whoever compares it with a number in text.
    if (precision) *precision = static_cast<uint32_t>(metric->precision);
  });
}

// A name is shown in tables and on progress lines.
std::string name_to_log(mortise_str_t name) {
  std::string key = text_of(name, "the name");
  for (const char letter : key)
    if (static_cast<unsigned char>(letter) < 0x20)
      throw ServiceError{MORTISE_INVALID_ARGUMENT, "the name holds a control character"};
  if (key.empty()) throw ServiceError{MORTISE_INVALID_ARGUMENT, "the name is empty"};
  return key;
}

mortise_status_t log(mortise_ctx_t* ctx, mortise_str_t name, double value) noexcept {
  return serve(ctx, "metrics.log", From::kRun, [&](PluginInstance& plugin) {
    const std::string key = name_to_log(name);
    // A plugin's own numbers are doubles on arrival and stay so.
    plugin.trainer()->metrics().log(key, value, training::MetricPrecision::kFloat64);
  });
}

// Copied on its device: the plugin may write into its tensor again before anybody reads the metric.
mortise_status_t log_tensor(mortise_ctx_t* ctx, mortise_str_t name, mortise_handle_t value) noexcept {
  return serve(ctx, "metrics.log_tensor", From::kRun, [&](PluginInstance& plugin) {
    const std::string key = name_to_log(name);
    const at::Tensor scalar = find_tensor(plugin, value).detach();
    if (scalar.numel() != 1 || !scalar.is_floating_point())
      throw ServiceError{MORTISE_INVALID_ARGUMENT, "a metric is one element of a floating type"};
    plugin.trainer()->metrics().log(key, scalar.reshape({}).clone());
  });
}

mortise_status_t name_at(mortise_ctx_t* ctx, uint64_t index, mortise_str_t* name) noexcept {
  return serve(ctx, "metrics.name_at", From::kRun, [&](PluginInstance& plugin) {
    need(name, "name");
    const std::vector<std::string>& names = plugin.trainer()->metrics().names();
    if (index >= names.size()) throw ServiceError{MORTISE_NOT_FOUND, "there is no metric " + std::to_string(index)};
    // Points into the list of names: good until something new is logged.
    *name = view(names[index]);
  });
}

}  // namespace

const mortise_host_metrics_t kMetricsService = {sizeof(mortise_host_metrics_t), 0, get, log, name_at, log_tensor};

}  // namespace mortise::bridge
