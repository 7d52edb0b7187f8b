// Three rules for three kinds of numbers: those that are exact, those that come in steps, and those that are noisy.
#include "host/ledger/judge.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "host/core/text.h"

namespace mortise::ledger {
namespace {

// Two-sided 95 % of the normal distribution.
constexpr double kZ = 1.959963984540054;

// Pairs grow with the square: longer series are thinned evenly.
constexpr size_t kMostValues = 2000;

// Variance of Kendall's score of a series, with Sen's correction for equal values.
double score_variance(const std::vector<double>& values) {
  const auto term = [](double n) { return n * (n - 1) * (2 * n + 5); };
  std::map<double, int> counts;
  for (const double value : values) ++counts[value];
  double sum = term(static_cast<double>(values.size()));
  for (const auto& [value, count] : counts) sum -= term(count);
  return sum / 18;
}

// Number k of a series, which is put in part into order.
// nth_element instead of sorting: there are up to two million slopes.
double ranked(std::vector<double>& values, size_t k) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k), values.end());
  return values[k];
}

double median(std::vector<double>& values) {
  const size_t half = values.size() / 2;
  const double upper = ranked(values, half);
  return values.size() % 2 ? upper : (upper + ranked(values, half - 1)) / 2;
}

using Member = int64_t (*)(const ProcessSample&);

// A column of the samples, by a function, so that one rule serves many members.
struct Quantity {
  const char* name;
  Member value;
  bool is_bytes;
};

// Exact bytes, not KiB: a leak of one small tensor must show.
std::string shown(const Quantity& quantity, int64_t value) {
  return quantity.is_bytes ? std::to_string(value) + " bytes" : std::to_string(value);
}

// Without a sign before what is shown as zero.
std::string kib(double bytes) { return fixed(std::abs(bytes) < 0.05 * 1024 ? 0 : bytes / 1024, 1); }

class Judge {
 public:
  Judge(const std::vector<ProcessSample>& samples, const JudgeOptions& options)
      : samples_(samples),
        options_(options),
        first_(static_cast<size_t>(std::max<int64_t>(options.warm_up_cycles, 1))) {}

  // Every judged cycle has what the last one of the warm-up had.
  Finding exact(const Quantity& quantity) const {
    Finding finding{quantity.name, "equal to cycle " + std::to_string(first_), true, ""};
    if (!enough(1, &finding)) return finding;
    const int64_t wanted = quantity.value(samples_[first_ - 1]);
    for (size_t i = first_; i < samples_.size(); ++i) {
      if (quantity.value(samples_[i]) == wanted) continue;
      finding.passed = false;
      finding.detail = shown(quantity, wanted) + " in cycle " + std::to_string(first_) + ", " + in_cycle(quantity, i);
      // The first deviation and the last value together tell a single step from a leak a cycle.
      if (i + 1 < samples_.size()) finding.detail += ", " + in_cycle(quantity, samples_.size() - 1);
      return finding;
    }
    finding.detail = "always " + shown(quantity, wanted);
    return finding;
  }

  // No new highest value in the second half: a step in the first is warm-up, a staircase is a leak.
  Finding quantised(const Quantity& quantity) const {
    Finding finding{quantity.name, "no upward step in the second half", true, ""};
    if (!enough(2, &finding)) return finding;
    // Drivers hand out memory in large blocks, at times late; so only steps that go on count.
    const size_t half = first_ + (samples_.size() - first_) / 2;
    int64_t highest = 0;
    for (size_t i = first_ - 1; i < samples_.size(); ++i) {
      const int64_t value = quantity.value(samples_[i]);
      if (i >= half && value > highest && finding.passed) {
        finding.passed = false;
        finding.detail = "at most " + shown(quantity, highest) + " before, " + in_cycle(quantity, i);
      }
      highest = std::max(highest, value);
    }
    if (finding.passed) finding.detail = "at most " + shown(quantity, highest);
    return finding;
  }

  // The slope's lower bound is within the budget.
  Finding noisy(const Quantity& quantity, int64_t budget_bytes) const {
    Finding finding{quantity.name, "slope at most " + human_bytes(budget_bytes) + " a cycle", true, ""};
    if (!enough(2, &finding)) return finding;
    // Every stride-th cycle; the slope is divided by it again, so that it stays per cycle.
    const size_t stride = (samples_.size() - first_) / kMostValues + 1;
    std::vector<double> values;
    for (size_t i = first_ - 1; i < samples_.size(); i += stride) {
      values.push_back(static_cast<double>(quantity.value(samples_[i])));
    }
    const Slope slope = theil_sen(values);
    const auto per_cycle = [&](double value) { return kib(value / static_cast<double>(stride)); };
    // The lower bound: only a rise that noise cannot explain is a leak.
    finding.passed = slope.low / static_cast<double>(stride) <= static_cast<double>(budget_bytes);
    finding.detail = "rises by " + per_cycle(slope.per_cycle) + " KiB a cycle (95 %: " + per_cycle(slope.low) + " to " +
                     per_cycle(slope.high) + ")";
    return finding;
  }

 private:
  // Whether so many cycles are left to be judged; else says so.
  // Too few cycles pass, and say so: a short soak is not a failed one.
  bool enough(size_t judged, Finding* finding) const {
    if (samples_.size() >= first_ + judged) return true;
    finding->detail = "not judged: needs " + std::to_string(first_ + judged) + " cycles or more";
    return false;
  }
  std::string in_cycle(const Quantity& quantity, size_t index) const {
    return shown(quantity, quantity.value(samples_[index])) + " in cycle " + std::to_string(index + 1);
  }

  const std::vector<ProcessSample>& samples_;
  const JudgeOptions& options_;
  const size_t first_;  // cycles of the warm-up
};

// What the host can count exactly must be the same in every cycle, to the byte.
constexpr Quantity kExact[] = {
    {"live CPU tensors", [](const ProcessSample& sample) { return sample.cpu.allocations; }, false},
    {"CPU tensor memory", [](const ProcessSample& sample) { return sample.cpu.bytes; }, true},
    {"threads", [](const ProcessSample& sample) { return sample.threads; }, false},
    {"descriptors", [](const ProcessSample& sample) { return sample.descriptors; }, false},
    {"plugin mappings", [](const ProcessSample& sample) { return sample.plugin_mappings; }, false},
};
constexpr Quantity kExactGpu[] = {
    {"live GPU tensors", [](const ProcessSample& sample) { return sample.gpu.allocations; }, false},
    {"GPU tensor memory", [](const ProcessSample& sample) { return sample.gpu.allocated_bytes; }, true},
};
constexpr Quantity kDriver = {"GPU memory in use", [](const ProcessSample& sample) { return sample.gpu.used_bytes; },
                              true};
constexpr Quantity kHeap = {"heap", [](const ProcessSample& sample) { return sample.heap_bytes; }, true};
constexpr Quantity kResident = {"resident memory", [](const ProcessSample& sample) { return sample.rss_bytes; }, true};

}  // namespace

// source: Sen 1968, J. Am. Stat. Assoc. 63, eq. 2.6 and 2.7; ranks between two numbers go to the wider interval.
Slope theil_sen(const std::vector<double>& values) {
  std::vector<double> slopes;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = i + 1; j < values.size(); ++j)
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
  }
  if (slopes.empty()) return {};
  Slope slope;
  slope.per_cycle = median(slopes);
  const auto count = static_cast<double>(slopes.size());
  const double spread = kZ * std::sqrt(score_variance(values));
  const double below = std::max(0.0, std::floor((count - spread) / 2) - 1);
  const double above = std::min(count - 1, std::ceil((count + spread) / 2));
  slope.low = ranked(slopes, static_cast<size_t>(below));
  slope.high = ranked(slopes, static_cast<size_t>(above));
  return slope;
}

std::vector<Finding> judge_cycles(const std::vector<ProcessSample>& samples, const JudgeOptions& options) {
  const Judge judge(samples, options);
  // Without an accelerator all its numbers are zero, and lines about them would only be noise.
  const bool has_gpu = std::any_of(samples.begin(), samples.end(),
                                   [](const ProcessSample& sample) { return sample.gpu.used_bytes > 0; });
  std::vector<Finding> findings;
  for (const Quantity& quantity : kExact) findings.push_back(judge.exact(quantity));
  if (has_gpu) {
    for (const Quantity& quantity : kExactGpu) findings.push_back(judge.exact(quantity));
    findings.push_back(judge.quantised(kDriver));
  }
  findings.push_back(judge.noisy(kHeap, options.heap_slope_bytes));
  findings.push_back(judge.noisy(kResident, options.rss_slope_bytes));
  return findings;
}

}  // namespace mortise::ledger
