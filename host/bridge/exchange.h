// What the plugins of this process offer to each other, who uses what, and who listens to which events.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "host/bridge/plugin_instance.h"
#include "mortise/exchange.h"

namespace mortise::bridge {

// A service that a plugin offers. Shared by the provider's ledger, its users' and a call that is under way.
struct Offer {
  const std::string id;
  PluginInstance& provider;  // good as long as the offer is open
  const mortise_service_fn_t run;
  void* const user;
  bool open = true;                    // guarded by the exchange
  std::multiset<ledger::Tag> used_by;  // guarded by the exchange
};

// A plugin that listens to an event.
struct Subscription {
  const std::string id;
  PluginInstance& listener;  // good as long as the subscription is open
  const mortise_event_handler_t run;
  void* const user;
  bool open = true;  // guarded by the exchange
};

// Thread-safe, and calls nobody while it holds its lock.
class Exchange {
 public:
  // The one of this process.
  static Exchange& get();

  // Null if the id is taken.
  std::shared_ptr<Offer> offer(const std::string& id, PluginInstance& provider, mortise_service_fn_t run, void* user);
  void withdraw(Offer& offer);
  // Null if nobody offers it.
  std::shared_ptr<Offer> find(const std::string& id) const;
  // Of all services that are offered, sorted.
  std::vector<std::string> ids() const;

  void begin_use(Offer& offer, const PluginInstance& user);
  void end_use(Offer& offer, ledger::Tag user);
  // Whether one plugin holds a use of a service that another one offers.
  bool uses(const PluginInstance& user, const PluginInstance& provider) const;

  std::shared_ptr<Subscription> subscribe(const std::string& id, PluginInstance& listener, mortise_event_handler_t run,
                                          void* user);
  void end(Subscription& subscription);
  // Those that listen to an event on the calling thread, in the order in which their plugins were loaded.
  std::vector<std::shared_ptr<Subscription>> listeners(const std::string& id) const;

  bool is_open(const Offer& offer) const;
  // Open, and its provider's functions may run here.
  bool is_of_this_thread(const Offer& offer) const;
  bool is_open(const Subscription& subscription) const;

 private:
  mutable std::mutex mutex_;  // guards all below
  std::map<std::string, std::shared_ptr<Offer>> offers_;
  std::vector<std::shared_ptr<Subscription>> subscriptions_;
};

// Whether an id is of the form "com.example.thing/1" and not of the host's own.
bool is_exchange_id(const std::string& id);

}  // namespace mortise::bridge
