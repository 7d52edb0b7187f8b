// A run's plugins in the order of the user's list; unloading runs backwards.
#include "host/bridge/plugin_set.h"

#include <algorithm>
#include <iterator>
#include <map>

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
  return set;
}

PluginSet::~PluginSet() { unload(); }

void PluginSet::attach(training::Trainer& trainer) const {
  for (const auto& instance : instances_) trainer.add_callback(*instance);
}

void PluginSet::detach(training::Trainer& trainer) const {
  for (const auto& instance : instances_) trainer.remove_callback(*instance);
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

std::vector<ledger::Receipt> PluginSet::unload() {
  std::map<ledger::Tag, ledger::Receipt> by_load;  // tags count loads
  // Each leaves the list before its unload, so that a failure on the way can't unload it twice.
  while (!instances_.empty()) {
    std::unique_ptr<PluginInstance> next = take_next();
    const ledger::Tag tag = next->tag();
    by_load.emplace(tag, PluginInstance::unload(std::move(next)));
  }
  std::vector<ledger::Receipt> receipts;
  for (auto& [tag, receipt] : by_load) receipts.push_back(std::move(receipt));
  return receipts;
}

}  // namespace mortise::bridge
