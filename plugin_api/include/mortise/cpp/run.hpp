// The run in C++: what was asked for, and the wish to stop; and the metrics that were logged in it.
#pragma once

#include <mortise/cpp/service.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace mortise {

using RunInfo = mortise_run_info_t;

class Run {
 public:
  explicit Run(const detail::Link& link) noexcept : link_(&link) {}

  // What the user asked for and where the run stands. [train-thread]
  RunInfo info() const {
    RunInfo info{};
    info.struct_size = sizeof info;
    detail::call(*link_, link_->run, &mortise_host_run_t::info, &info);
    return info;
  }
  // Asks training to end. [train-thread]
  void request_stop(std::string_view reason) const {
    detail::call(*link_, link_->run, &mortise_host_run_t::request_stop, to_str(reason));
  }
  // Absolute folder of this run; valid as long as the instance. [any-thread]
  std::string_view directory() const {
    mortise_str_t path{};
    detail::call(*link_, link_->run, &mortise_host_run_t::directory, &path);
    return to_view(path);
  }

 private:
  const detail::Link* link_;
};

// A metric's newest value.
struct Metric {
  double value;     // exact
  bool is_float32;  // logged in float32: compare it so
};

// [train-thread]
class Metrics {
 public:
  explicit Metrics(const detail::Link& link) noexcept : link_(&link) {}

  // Waits for a value that is on a device.
  //   errors  Error with MORTISE_NOT_FOUND, whose text lists the names there are
  Metric get(std::string_view name) const {
    double value = 0;
    uint32_t precision = 0;
    detail::call(*link_, link_->metrics, &mortise_host_metrics_t::get, to_str(name), &value, &precision);
    return {value, precision == MORTISE_METRIC_FLOAT32};
  }
  // The same; nullopt if it was not logged.
  std::optional<Metric> find(std::string_view name) const {
    double value = 0;
    uint32_t precision = 0;
    if (!detail::found(*link_, link_->metrics, &mortise_host_metrics_t::get, to_str(name), &value, &precision)) {
      return std::nullopt;
    }
    return Metric{value, precision == MORTISE_METRIC_FLOAT32};
  }
  void log(std::string_view name, double value) const {
    detail::call(*link_, link_->metrics, &mortise_host_metrics_t::log, to_str(name), value);
  }
  // All names in the order of first logging, valid until the event returns.
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> all;
    mortise_str_t name{};
    while (detail::found(*link_, link_->metrics, &mortise_host_metrics_t::name_at, uint64_t{all.size()}, &name)) {
      all.push_back(to_view(name));
    }
    return all;
  }

 private:
  const detail::Link* link_;
};

}  // namespace mortise
