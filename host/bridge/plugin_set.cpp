// A run's plugins in the order of the user's list; unloading runs backwards.
#include "host/bridge/plugin_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "host/bridge/exchange.h"

namespace mortise::bridge {

Result<PluginSet> PluginSet::load(const std::vector<PluginRequest>& requests, const Environment& environment) {
  PluginSet set;
  for (const PluginRequest& request : requests) {
    Result<std::unique_ptr<PluginInstance>> instance =
        PluginInstance::load(request.file, request.instance, request.options, environment);
    // Those before it are unloaded by the set's destructor; their receipts have no reader.
    if (!instance.ok()) return instance.status();
    set.instances_.push_back(std::move(*instance));
  }
  MORTISE_RETURN_IF_ERROR(set.order().status());
  return set;
}

PluginSet::~PluginSet() { unload(); }

Result<std::vector<size_t>> PluginSet::order() const {
  std::vector<Placed> list;
  for (const auto& instance : instances_) list.push_back(instance->placed());
  return call_order(list);
}

// The trainer sorts by group and priority only, and keeps the order of attaching among equals. There is an order: load
// has seen to that, and fewer plugins ask for less.
void PluginSet::attach(training::Trainer& trainer) {
  const Result<std::vector<size_t>> in_order = order();
  for (const size_t index : *in_order) {
    PluginInstance* const instance = instances_[index].get();
    instance->join(trainer, [this, instance] { unload_fallen(instance); });
  }
}

void PluginSet::detach() {
  for (const auto& instance : instances_) instance->leave();
}

// Backwards, as destructors run: a later plugin may rely on what an earlier one set up. But one whose services others
// still use waits for them; where they use each other in a circle, the last one goes first after all.
std::unique_ptr<PluginInstance> PluginSet::take_next() {
  const auto used = [this](const std::unique_ptr<PluginInstance>& provider) {
    return std::any_of(instances_.begin(), instances_.end(),
                       [&](const auto& user) { return user != provider && Exchange::get().uses(*user, *provider); });
  };
  const auto free = std::find_if_not(instances_.rbegin(), instances_.rend(), used);
  const auto next = free == instances_.rend() ? std::prev(instances_.end()) : std::prev(free.base());
  std::unique_ptr<PluginInstance> taken = std::move(*next);
  instances_.erase(next);
  return taken;
}

void PluginSet::unload(std::unique_ptr<PluginInstance> instance) {
  const ledger::Tag tag = instance->tag();
  receipts_.emplace(tag, PluginInstance::unload(std::move(instance)));
}

// Each leaves the list before its unload, so that a failure on the way can't unload it twice.
void PluginSet::unload_fallen(const PluginInstance* fallen) {
  const auto at =
      std::find_if(instances_.begin(), instances_.end(), [&](const auto& one) { return one.get() == fallen; });
  std::unique_ptr<PluginInstance> taken = std::move(*at);
  instances_.erase(at);
  unload(std::move(taken));
}

std::vector<ledger::Receipt> PluginSet::unload() {
  while (!instances_.empty()) unload(take_next());
  std::vector<ledger::Receipt> receipts;
  for (auto& [tag, receipt] : std::exchange(receipts_, {})) receipts.push_back(std::move(receipt));
  return receipts;
}

}  // namespace mortise::bridge
