// What the model and callbacks log in a run: Lightning's callback_metrics.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/core/status.h"

namespace mortise::training {

enum class MetricPrecision { kFloat32 = 1, kFloat64 = 2 };

struct Metric {
  double value = 0;
  MetricPrecision precision = MetricPrecision::kFloat32;
};

// Names keep the order of first logging; a value stays until it is replaced. Values that are tensors stay on their
// device until somebody reads them. Used from the train-thread only.
class Metrics {
 public:
  // Logs a value at once: per-step values, and values logged at the end of an epoch. A tensor on a device is kept until
  // it is read: it must not be written to afterwards.
  void log(const std::string& name, const at::Tensor& scalar);
  void log(const std::string& name, double value, MetricPrecision precision = MetricPrecision::kFloat32);

  // Adds to a mean over the running evaluation, weighted by samples. finish_means turns the means into values.
  void log_mean(const std::string& name, const at::Tensor& scalar, int64_t samples);
  void finish_means();
  // Forgets means that were begun and not finished.
  void drop_means();

  // Also logs everything named `metric` under `name` (--metric-alias).
  void add_alias(const std::string& name, const std::string& metric);

  std::optional<Metric> get(const std::string& name);
  const std::vector<std::string>& names() const { return names_; }
  // Forgets all values; aliases stay.
  void clear();

 private:
  struct Entry {
    at::Tensor tensor;  // defined: not read yet
    Metric metric;
  };
  struct Mean {
    std::string name;
    // In float64, so that the mean of equal values is that value. Values on the CPU are added at once.
    at::Tensor device_sum;
    double host_sum = 0;
    int64_t samples = 0;
    MetricPrecision precision;  // float64 if one of the values was
  };
  struct Alias {
    std::string name, metric;
  };
  void store(const std::string& name, Entry entry);  // and under its aliases
  void store_one(const std::string& name, Entry entry);

  std::vector<std::string> names_;
  std::vector<Entry> entries_;  // parallel to names_
  std::vector<Mean> means_;
  std::vector<Alias> aliases_;
};

}  // namespace mortise::training
