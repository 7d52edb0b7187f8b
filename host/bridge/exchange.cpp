// One table for the process. What is closed leaves it at once; who still holds it learns that by is_open.
#include "host/bridge/exchange.h"

#include <algorithm>
#include <string_view>

namespace mortise::bridge {

Exchange& Exchange::get() {
  static Exchange& kept = *new Exchange;  // ledgers of quarantined plugins may outlive static destruction
  return kept;
}

std::shared_ptr<Offer> Exchange::offer(const std::string& id, PluginInstance& provider, mortise_service_fn_t run,
                                       void* user) {
  auto made = std::shared_ptr<Offer>(new Offer{id, provider, run, user, true, {}});
  const std::lock_guard lock(mutex_);
  return offers_.emplace(id, made).second ? made : nullptr;
}

void Exchange::withdraw(Offer& offer) {
  const std::lock_guard lock(mutex_);
  offer.open = false;
  offers_.erase(offer.id);
}

std::shared_ptr<Offer> Exchange::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = offers_.find(id);
  return found == offers_.end() ? nullptr : found->second;
}

std::vector<std::string> Exchange::ids() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (const auto& [id, offer] : offers_) all.push_back(id);
  return all;
}

void Exchange::begin_use(Offer& offer, const PluginInstance& user) {
  const std::lock_guard lock(mutex_);
  offer.used_by.insert(user.tag());
}

void Exchange::end_use(Offer& offer, ledger::Tag user) {
  const std::lock_guard lock(mutex_);
  // One of several: a plugin may have found the service twice.
  if (const auto one = offer.used_by.find(user); one != offer.used_by.end()) offer.used_by.erase(one);
}

bool Exchange::uses(const PluginInstance& user, const PluginInstance& provider) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(offers_.begin(), offers_.end(), [&](const auto& item) {
    return &item.second->provider == &provider && item.second->used_by.contains(user.tag());
  });
}

std::shared_ptr<Subscription> Exchange::subscribe(const std::string& id, PluginInstance& listener,
                                                  mortise_event_handler_t run, void* user) {
  auto made = std::shared_ptr<Subscription>(new Subscription{id, listener, run, user, true});
  const std::lock_guard lock(mutex_);
  subscriptions_.push_back(made);
  return made;
}

void Exchange::end(Subscription& subscription) {
  const std::lock_guard lock(mutex_);
  subscription.open = false;
  std::erase_if(subscriptions_, [&](const auto& one) { return one.get() == &subscription; });
}

std::vector<std::shared_ptr<Subscription>> Exchange::listeners(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Subscription>> found;
  for (const auto& one : subscriptions_)
    // A plugin of another thread may be unloaded there at any moment.
    if (one->id == id && one->listener.on_owner_thread()) found.push_back(one);
  // Tags count loads, so they have the order of the user's list.
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& left, const auto& right) { return left->listener.tag() < right->listener.tag(); });
  return found;
}

bool Exchange::is_open(const Offer& offer) const {
  const std::lock_guard lock(mutex_);
  return offer.open;
}

// Under the lock, because the provider may be unloaded on its thread as soon as the offer is closed.
bool Exchange::is_of_this_thread(const Offer& offer) const {
  const std::lock_guard lock(mutex_);
  return offer.open && offer.provider.on_owner_thread();
}

bool Exchange::is_open(const Subscription& subscription) const {
  const std::lock_guard lock(mutex_);
  return subscription.open;
}

// Reverse domain, a name, a version: so that two authors who never heard of each other choose different ids.
bool is_exchange_id(const std::string& id) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_-.";
  const size_t slash = id.find('/');
  if (slash == std::string::npos || id.size() > 255 || id.starts_with("mortise.")) return false;
  const std::string_view name(id.data(), slash), version(id.data() + slash + 1, id.size() - slash - 1);
  const bool parted = name.find('.') != std::string_view::npos && name.find("..") == std::string_view::npos &&
                      name.front() != '.' && name.back() != '.';
  return parted && name.find_first_not_of(kLetters) == std::string_view::npos && !version.empty() &&
         version.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace mortise::bridge
