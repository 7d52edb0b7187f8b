// Prunes the model while it trains, as Lightning's ModelPruning does: decides the masks, which the host keeps.
//
// Read from top to bottom: settings (settings.h), state, moments of a run, one prune, the entry. What is chosen is
// decided in method.h and below, which know no host.
#include <mortise/cpp/plugin.hpp>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "method.h"
#include "report.h"
#include "settings.h"
#include "targets.h"

namespace pruning {

class Pruning : public mortise::Callback {
 public:
  static constexpr auto& kOptions = pruning::kOptionTable;
  static constexpr mortise_str_t kServices[] = {mortise::to_str(MORTISE_OPTIONS), mortise::to_str(MORTISE_MODEL),
                                                mortise::to_str(MORTISE_MASKS),   mortise::to_str(MORTISE_TENSORS),
                                                mortise::to_str(MORTISE_RUN),     mortise::to_str(MORTISE_RANDOM)};

  explicit Pruning(mortise::Host host) : Callback(host), settings_(read_settings(options())) {
    if (settings_.ignored_options) {
      log().warning("pruning_dim and pruning_norm mean nothing to pruning_fn {}", settings_.method.name);
    }
  }

  // Everything that can be refused is refused here, before the first step of training.
  void on_fit_start() {
    list_targets();
    if (!settings_.active()) return;
    warn_of_no_validation();
    Masks masks = read_masks();
    if (const auto fault = fault_in<float>(settings_.method, subjects<float>(masks, {})); !fault.empty()) {
      throw mortise::Error(MORTISE_INVALID_ARGUMENT, fault);
    }
    if (settings_.rewind) take_snapshot();
  }

  void on_train_epoch_end(const mortise::Event& event) {
    if (settings_.after_epoch) prune_now(event);
  }

  // The sanity check and a validation that stands alone prune nothing.
  void on_validation_epoch_end(const mortise::Event& event) {
    if (!settings_.after_epoch && event.in_fit() && !event.in_sanity_check()) prune_now(event);
  }

  void on_train_end() { make_permanent(); }

  // After a fit that failed, too: the model is left as after a good one.
  void teardown(const mortise::Event& event) {
    if (!event.in_fit()) return;
    snapshot_.clear();
    make_permanent();
    targets_.clear();
  }

  // Masks that are not permanent stay from fit to fit and end here: their zeros stay as plain values.
  void shutdown() {
    for (const uint64_t parameter : masked_) bake(parameter);
  }

 private:
  using Masks = std::vector<std::vector<uint8_t>>;  // parallel to targets_
  template <typename Real>
  using Values = std::vector<std::vector<Real>>;

  void list_targets() {
    std::vector<Parameter> all;
    const uint64_t count = model().parameter_count();
    for (uint64_t index = 0; index < count; ++index) {
      const auto info = model().info(index);
      all.push_back({index, std::string(mortise::to_view(info.name)), std::string(mortise::to_view(info.module)),
                     std::string(mortise::to_view(info.module_type)),
                     std::vector<int64_t>(info.shape, info.shape + info.dims), info.shared != 0});
    }
    Targets found =
        settings_.parameters.empty() ? discover(all, settings_.leaf_names) : find_named(all, settings_.parameters);
    if (!found.fault.empty()) throw mortise::Error(MORTISE_INVALID_ARGUMENT, found.fault);
    targets_ = std::move(found.list);
  }

  void warn_of_no_validation() {
    if (settings_.after_epoch || run().info().val_batches != 0) return;
    log().warning("prune_on_train_epoch_end is false and this run has no validation: nothing will be pruned");
  }

  // Copies on the CPU: what a rewind goes back to must not change while the model trains.
  void take_snapshot() {
    snapshot_.clear();
    for (const auto& target : targets_) snapshot_.push_back(model().parameter(target.index).clone(MORTISE_CPU));
  }

  void make_permanent() {
    if (!settings_.permanent) return;
    for (const uint64_t parameter : masked_) bake(parameter);
    masked_.clear();
  }

  void bake(uint64_t parameter) {
    try {
      masks().clear(parameter, MORTISE_MASK_BAKE);
    } catch (const mortise::Error& error) {
      if (error.code() != MORTISE_NOT_FOUND) throw;  // its model is gone
    }
  }

  // The host's masks are the only ones: nothing is remembered between prunes.
  Masks read_masks() {
    Masks all;
    for (const auto& target : targets_) {
      std::vector<uint8_t> keep(target.elements(), 1);
      if (!keep.empty()) masks().get(target.index, keep);
      all.push_back(std::move(keep));
    }
    return all;
  }

  void prune_now(const mortise::Event& event) {
    if (!settings_.active()) return;
    const bool wide = std::ranges::any_of(targets_, [&](const Parameter& target) {
      return model().parameter(target.index).info().dtype == MORTISE_FLOAT64;
    });
    Masks masks = read_masks();
    std::vector<Tally> tallies = count_before(masks);
    wide ? choose<double>(masks) : choose<float>(masks);
    if (settings_.rewind) rewind();
    for (size_t i = 0; i < targets_.size(); ++i) {
      if (masks[i].empty()) continue;
      this->masks().set(targets_[i].index, masks[i]);
      masked_.insert(targets_[i].index);
    }
    report(event, tallies, masks);
  }

  // Changes the masks, and nothing else.
  template <typename Real>
  void choose(Masks& masks) {
    Values<Real> copies(targets_.size());
    std::vector<std::span<const Real>> scores(targets_.size());
    for (size_t i = 0; i < targets_.size() && !settings_.method.random; ++i) {
      scores[i] = current_values(model().parameter(targets_[i].index), copies[i]);
    }
    const auto listed = subjects<Real>(masks, scores);
    if (const auto fault = fault_in<Real>(settings_.method, listed); !fault.empty()) throw mortise::Error(fault);
    std::vector<uint64_t> bits;
    prune<Real>(settings_.method, listed, [&] {
      if (bits.empty()) {
        bits.resize(kRandomBlock);
        random().fill(bits);
      }
      const uint64_t next = bits.back();
      bits.pop_back();
      return next;
    });
  }

  // In place where the parameter is on the CPU, else copied into `copy`. The host keeps masked entries at zero, so that
  // these are mask times weight.
  template <typename Real>
  static std::span<const Real> current_values(const mortise::TensorView& parameter, std::vector<Real>& copy) {
    try {
      return parameter.data<Real>();
    } catch (const mortise::Error& error) {
      if (error.code() != MORTISE_UNSUPPORTED) throw;
      copy = parameter.read<Real>();
      return copy;
    }
  }

  //   scores  parallel to targets_; empty where they don't matter
  template <typename Real>
  std::vector<Subject<Real>> subjects(Masks& masks, std::span<const std::span<const Real>> scores) const {
    std::vector<Subject<Real>> listed;
    for (size_t i = 0; i < targets_.size(); ++i) {
      listed.push_back(
          {targets_[i].name, targets_[i].shape, scores.empty() ? std::span<const Real>() : scores[i], masks[i]});
    }
    return listed;
  }

  // The masks follow at once and make the pruned entries zero again.
  void rewind() {
    for (size_t i = 0; i < targets_.size(); ++i) model().parameter(targets_[i].index).copy_from(snapshot_[i]);
  }

  static std::vector<Tally> count_before(const Masks& masks) {
    std::vector<Tally> tallies;
    for (const auto& keep : masks) tallies.push_back({keep.size() - count_kept(keep), 0, keep.size()});
    return tallies;
  }

  void report(const mortise::Event& event, std::vector<Tally>& tallies, const Masks& masks) const {
    if (settings_.verbose == 0) return;
    Tally total;
    for (size_t i = 0; i < tallies.size(); ++i) {
      tallies[i].after = masks[i].size() - count_kept(masks[i]);
      total += tallies[i];
    }
    const auto what =
        mortise::format("epoch {}, {} {}", event.epoch, settings_.method.name, to_text(settings_.method.amount));
    log().write(MORTISE_LOG_INFO, report_line(what, total));
    for (size_t i = 0; i < tallies.size() && settings_.verbose > 1; ++i) {
      log().write(MORTISE_LOG_INFO, report_line(targets_[i].name, tallies[i]));
    }
  }

  static constexpr size_t kRandomBlock = 4096;  // random numbers asked for at a time

  const Settings settings_;
  std::vector<Parameter> targets_;         // of the running fit
  std::vector<mortise::Tensor> snapshot_;  // parallel to targets_; empty without a rewind
  std::set<uint64_t> masked_;              // parameters that have had a mask of ours and may have it still
};

}  // namespace pruning

MORTISE_PLUGIN(pruning::Pruning, "pruning", "1.0.0",
               "Prunes the model while it trains and, as a lottery ticket, rewinds what is left")
