// The plugin list of a run, loaded and unloaded together.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/bridge/environment.h"
#include "host/bridge/option_values.h"
#include "host/bridge/plugin_instance.h"
#include "host/ledger/receipt.h"
#include "host/loader/plugin_file.h"
#include "host/training/trainer.h"

namespace mortise::bridge {

// One entry of the user's list: which file, under what name, with which options.
struct PluginRequest {
  loader::PluginFile file;
  std::string instance;
  OptionValues options;
};

// Owns the instances. Everything on the load-thread.
class PluginSet {
 public:
  // Loads in the order given. If one fails, or they cannot be put in order (plugin_order.h), those that are loaded are
  // unloaded again.
  //   environment  outlives the set
  static Result<PluginSet> load(const std::vector<PluginRequest>& requests, const Environment& environment);

  PluginSet(PluginSet&&) = default;
  PluginSet& operator=(PluginSet&&) = default;
  ~PluginSet();  // unloads

  // In the order of calls.
  // An instance that falls (OnPluginError::kDetach) is unloaded in the middle of the run.
  // REQUIRES: the set stays where it is until detach
  void attach(training::Trainer& trainer);
  void detach();

  // Unloads, the last one first, but users of a service before the one that offers it; receipts are in the order of
  // loading, those of instances that fell before among them.
  // REQUIRES: detached from every trainer
  std::vector<ledger::Receipt> unload();

  const std::vector<std::unique_ptr<PluginInstance>>& instances() const { return instances_; }

 private:
  PluginSet() = default;
  Result<std::vector<size_t>> order() const;
  // REQUIRES: there is one
  std::unique_ptr<PluginInstance> take_next();
  void unload(std::unique_ptr<PluginInstance> instance);
  void unload_fallen(const PluginInstance* fallen);

  std::vector<std::unique_ptr<PluginInstance>> instances_;
  std::map<ledger::Tag, ledger::Receipt> receipts_;  // of those that are unloaded; tags count loads
};

}  // namespace mortise::bridge
