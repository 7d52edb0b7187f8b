#include "host/bridge/plugin_set.h"

#include <algorithm>

namespace mortise::bridge {

Result<PluginSet> PluginSet::load(const std::vector<PluginRequest>& requests, const Environment& environment) {
  PluginSet set;
  for (const PluginRequest& request : requests) {
    Result<std::unique_ptr<PluginInstance>> instance =
        PluginInstance::load(request.file, request.instance, request.options, environment);
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
  while (!instances_.empty()) {
    std::unique_ptr<PluginInstance> last = std::move(instances_.back());
    instances_.pop_back();
    receipts.push_back(PluginInstance::unload(std::move(last)));
  }
  std::reverse(receipts.begin(), receipts.end());
  return receipts;
}

}  // namespace mortise::bridge
