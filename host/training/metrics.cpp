// The idea: a value on a GPU is not read when it is logged but when somebody asks, so that logging never waits.
#include "host/training/metrics.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <utility>

namespace mortise::training {
namespace {

MetricPrecision precision_of(const at::Tensor& scalar) {
  return scalar.scalar_type() == at::kDouble ? MetricPrecision::kFloat64 : MetricPrecision::kFloat32;
}

// Numbers come as doubles; a float32 metric has to have the value that Python would show.
double rounded(double value, MetricPrecision precision) {
  return precision == MetricPrecision::kFloat32 ? static_cast<double>(static_cast<float>(value)) : value;
}

}  // namespace

// An alias is stored like any other name, so that it is found, listed and saved without further ado.
void Metrics::store(const std::string& name, Entry entry) {
  for (const Alias& alias : aliases_) {
    if (alias.metric == name && alias.name != name) store_one(alias.name, entry);
  }
  store_one(name, std::move(entry));
}

void Metrics::store_one(const std::string& name, Entry entry) {
  const auto known = std::find(names_.begin(), names_.end(), name);
  if (known != names_.end()) {
    entries_[static_cast<size_t>(known - names_.begin())] = std::move(entry);
    return;
  }
  names_.push_back(name);
  entries_.push_back(std::move(entry));
}

void Metrics::log(const std::string& name, const at::Tensor& scalar) {
  const MetricPrecision precision = precision_of(scalar);
  // Reading a value on the CPU costs nothing; reading one on a device would wait for it.
  if (scalar.is_cpu()) return log(name, scalar.item<double>(), precision);
  // detach: the metric must not hold the graph, and with it the batch's activations.
  store(name, Entry{scalar.detach(), Metric{0, precision}});
}

void Metrics::log(const std::string& name, double value, MetricPrecision precision) {
  store(name, Entry{{}, Metric{rounded(value, precision), precision}});
}

void Metrics::log_mean(const std::string& name, const at::Tensor& scalar, int64_t samples) {
  auto mean = std::find_if(means_.begin(), means_.end(), [&](const Mean& known) { return known.name == name; });
  if (mean == means_.end()) mean = means_.insert(means_.end(), Mean{name, {}, 0, 0, precision_of(scalar)});
  // One value in float64 makes the mean one.
  if (precision_of(scalar) == MetricPrecision::kFloat64) mean->precision = MetricPrecision::kFloat64;
  mean->samples += samples;
  if (scalar.is_cpu()) {
    mean->host_sum += scalar.item<double>() * static_cast<double>(samples);
    return;
  }
  const at::Tensor weighted = scalar.detach().to(at::kDouble).mul(static_cast<double>(samples));
  // In place from the second on, so that no step of an evaluation allocates a sum.
  mean->device_sum = mean->device_sum.defined() ? mean->device_sum.add_(weighted) : weighted;
}

void Metrics::finish_means() {
  // Emptied first, so that the next evaluation starts from nothing.
  for (Mean& mean : std::exchange(means_, {})) {
    const double samples = static_cast<double>(mean.samples);
    if (mean.device_sum.defined()) {
      store(mean.name, Entry{mean.device_sum.add(mean.host_sum).div(samples), Metric{0, mean.precision}});
    } else {
      log(mean.name, mean.host_sum / samples, mean.precision);
    }
  }
}

void Metrics::drop_means() { means_.clear(); }

void Metrics::add_alias(const std::string& name, const std::string& metric) { aliases_.push_back({name, metric}); }

std::optional<Metric> Metrics::get(const std::string& name) {
  const auto known = std::find(names_.begin(), names_.end(), name);
  if (known == names_.end()) return std::nullopt;
  Entry& entry = entries_[static_cast<size_t>(known - names_.begin())];
  if (entry.tensor.defined()) {
    entry.metric.value = rounded(entry.tensor.item<double>(), entry.metric.precision);
    // Read once; the number stays.
    entry.tensor.reset();
  }
  return entry.metric;
}

void Metrics::clear() {
  names_.clear();
  entries_.clear();
  means_.clear();
}

}  // namespace mortise::training
