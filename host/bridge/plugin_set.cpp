// A run's plugins in the order of the user's list; unloading runs backwards.
#include "host/bridge/plugin_set.h"

#include <algorithm>

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

std::vector<ledger::Receipt> PluginSet::unload() {
  std::vector<ledger::Receipt> receipts;
  // Backwards, as destructors run: a later plugin may rely on what an earlier one set up. Each leaves the list
  // before its unload, so that a failure on the way can't unload it twice.
  while (!instances_.empty()) {
    std::unique_ptr<PluginInstance> last = std::move(instances_.back());
    instances_.pop_back();
    receipts.push_back(PluginInstance::unload(std::move(last)));
  }
  std::reverse(receipts.begin(), receipts.end());
  return receipts;
}

}  // namespace mortise::bridge
