// mortise.exchange/1: services and events between plugins. Nobody holds a pointer into another plugin: the host looks
// each call up and passes it on, so that one may go while the other stays.
#include "host/bridge/exchange.h"
#include "host/bridge/passage.h"
#include "host/bridge/service.h"
#include "host/core/near_miss.h"
#include "host/core/text.h"

namespace mortise::bridge {
namespace {

// Ends with the resource, which unload releases before anything that the service's function may need.
struct ServiceResource : ledger::Resource {
  explicit ServiceResource(std::shared_ptr<Offer> made) : offer(std::move(made)) {}
  ~ServiceResource() override { Exchange::get().withdraw(*offer); }
  std::shared_ptr<Offer> offer;
};

struct UseResource : ledger::Resource {
  UseResource(std::shared_ptr<Offer> found, const PluginInstance& who) : offer(std::move(found)), user(who.tag()) {
    Exchange::get().begin_use(*offer, who);
  }
  ~UseResource() override { Exchange::get().end_use(*offer, user); }
  std::shared_ptr<Offer> offer;
  ledger::Tag user;
};

struct SubscriptionResource : ledger::Resource {
  explicit SubscriptionResource(std::shared_ptr<Subscription> made) : subscription(std::move(made)) {}
  ~SubscriptionResource() override { Exchange::get().end(*subscription); }
  std::shared_ptr<Subscription> subscription;
};

// Two plugins that call each other without an end would end with the process's stack.
constexpr size_t kDeepest = 16;
// Values of one call; a number beyond it is a mistake, and would be allocated.
constexpr uint32_t kMostValues = 1024;

// The plugins that call each other just now, on this thread.
class Link {
 public:
  Link(const PluginInstance& from, const PluginInstance& to) {
    std::vector<const PluginInstance*>& chain = links();
    if (chain.size() >= kDeepest)
      throw ServiceError{MORTISE_WRONG_STATE, "calls between plugins are " + std::to_string(kDeepest) +
                                                  " deep already: '" + chain.back()->name() + "' calls '" +
                                                  from.name() + "' calls '" + to.name() + "'"};
    chain.push_back(&from);
  }
  ~Link() { links().pop_back(); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

 private:
  static std::vector<const PluginInstance*>& links() {
    thread_local std::vector<const PluginInstance*> kept;
    return kept;
  }
};

void check_count(uint32_t count, const char* what) {
  if (count > kMostValues)
    throw ServiceError{MORTISE_INVALID_ARGUMENT,
                       std::to_string(count) + " " + what + " are more than " + std::to_string(kMostValues)};
}

std::string id_of(mortise_str_t text) {
  std::string id = text_of(text, "the id");
  if (!is_exchange_id(id))
    throw ServiceError{MORTISE_INVALID_ARGUMENT,
                       "'" + id +
                           "' is no id of a plugin's: it has the form com.example.thing/1, in lower case, and "
                           "does not begin with mortise."};
  return id;
}

mortise_status_t offer(mortise_ctx_t* ctx, mortise_str_t id, mortise_service_fn_t run, void* user,
                       mortise_handle_t* service) noexcept {
  return serve(ctx, "exchange.offer", From::kOwner, [&](PluginInstance& plugin) {
    need(reinterpret_cast<const void*>(run), "run");
    need(service, "service");
    const std::string name = id_of(id);
    std::shared_ptr<Offer> made = Exchange::get().offer(name, plugin, run, user);
    if (!made) throw ServiceError{MORTISE_WRONG_STATE, "'" + name + "' is offered already"};
    *service = plugin.ledger().add(ledger::Kind::kService, std::make_shared<ServiceResource>(std::move(made)));
  });
}

std::string nobody_offers(const std::string& id) {
  const std::vector<std::string> ids = Exchange::get().ids();
  if (ids.empty()) return "nobody offers '" + id + "', nor any other service";
  return "nobody offers '" + id + "'; there are: " + join(ids, ", ") + did_you_mean(id, ids);
}

mortise_status_t find(mortise_ctx_t* ctx, mortise_str_t id, mortise_handle_t* use) noexcept {
  return serve(ctx, "exchange.find", From::kOwner, [&](PluginInstance& plugin) {
    need(use, "use");
    const std::string name = text_of(id, "the id");
    std::shared_ptr<Offer> found = Exchange::get().find(name);
    if (!found) throw ServiceError{MORTISE_NOT_FOUND, nobody_offers(name)};
    if (!Exchange::get().is_of_this_thread(*found))
      throw ServiceError{MORTISE_WRONG_THREAD, "'" + name + "' is offered by a plugin of another thread"};
    *use = plugin.ledger().add(ledger::Kind::kUse, std::make_shared<UseResource>(std::move(found), plugin));
  });
}

// Both names, since the text ends up with whoever has to find out whose mistake it was.
[[noreturn]] void fail(const PluginInstance& plugin, const std::string& what, mortise_status_t code,
                       const std::string& why) {
  // A positive number is no code of this interface's.
  throw ServiceError{code < 0 ? code : MORTISE_PLUGIN_FAILED,
                     "plugin '" + plugin.name() + "' failed in " + what + ": " + why};
}

// Runs inside the provider's scene, so that tensors it was lent meanwhile can still be answered with.
mortise_status_t answer(PluginInstance& caller, const Offer& offer, uint32_t method, const Passage& passage,
                        uint32_t n_args, std::vector<mortise_value_t>& answers, mortise_value_t* rets) {
  // May throw, whatever its type says.
  mortise_status_t (*run)(void*, uint32_t, const mortise_value_t*, uint32_t, mortise_value_t*, uint32_t) = offer.run;
  const auto n_rets = static_cast<uint32_t>(answers.size());
  const mortise_status_t code = run(offer.user, method, passage.values(), n_args, answers.data(), n_rets);
  if (code != MORTISE_OK) return code;
  const ledger::TagScope host(0);
  hand_back(offer.provider, caller, answers, rets);
  return MORTISE_OK;
}

mortise_status_t call(mortise_ctx_t* ctx, mortise_handle_t use, uint32_t method, const mortise_value_t* args,
                      uint32_t n_args, mortise_value_t* rets, uint32_t n_rets) noexcept {
  return serve(ctx, "exchange.call", From::kOwner, [&](PluginInstance& plugin) {
    check_count(n_args, "arguments");
    check_count(n_rets, "answers");
    if (n_rets) need(rets, "rets");
    const std::shared_ptr<Offer> offer = find_resource<UseResource>(plugin, ledger::Kind::kUse, use)->offer;
    if (!Exchange::get().is_open(*offer))
      throw ServiceError{MORTISE_NOT_FOUND, "'" + offer->id + "' is offered no more: find it again"};
    const Link link(plugin, offer->provider);
    const Passage passage(plugin, offer->provider, args, n_args);
    std::vector<mortise_value_t> answers(n_rets);
    std::string why;
    const mortise_status_t code = offer->provider.run_for(
        plugin, "exchange.call", [&] { return answer(plugin, *offer, method, passage, n_args, answers, rets); }, &why);
    if (code != MORTISE_OK)
      fail(offer->provider, "method " + std::to_string(method) + " of '" + offer->id + "'", code, why);
  });
}

mortise_status_t subscribe(mortise_ctx_t* ctx, mortise_str_t id, mortise_event_handler_t run, void* user,
                           mortise_handle_t* subscription) noexcept {
  return serve(ctx, "exchange.subscribe", From::kOwner, [&](PluginInstance& plugin) {
    need(reinterpret_cast<const void*>(run), "run");
    need(subscription, "subscription");
    auto made = Exchange::get().subscribe(id_of(id), plugin, run, user);
    *subscription =
        plugin.ledger().add(ledger::Kind::kSubscription, std::make_shared<SubscriptionResource>(std::move(made)));
  });
}

// One listener's part of raise; its failure is thrown.
void deliver(PluginInstance& plugin, const Subscription& to, const mortise_value_t* args, uint32_t n_args) {
  const Link link(plugin, to.listener);
  const Passage passage(plugin, to.listener, args, n_args);
  // May throw, whatever its type says.
  mortise_status_t (*run)(void*, mortise_str_t, const mortise_value_t*, uint32_t) = to.run;
  std::string why;
  const mortise_status_t code = to.listener.run_for(
      plugin, "exchange.raise", [&] { return run(to.user, view(to.id), passage.values(), n_args); }, &why);
  if (code != MORTISE_OK) fail(to.listener, "the event '" + to.id + "'", code, why);
}

// All are told, whatever became of those before: they do not know of each other.
mortise_status_t raise(mortise_ctx_t* ctx, mortise_str_t id, const mortise_value_t* args, uint32_t n_args) noexcept {
  return serve(ctx, "exchange.raise", From::kOwner, [&](PluginInstance& plugin) {
    check_count(n_args, "arguments");
    const std::string name = id_of(id);
    // Good arguments or bad ones: not a question of who listens.
    (void)Passage(plugin, plugin, args, n_args);
    std::optional<ServiceError> first;
    for (const std::shared_ptr<Subscription>& one : Exchange::get().listeners(name)) {
      // One that was told before may have ended this one.
      if (&one->listener == &plugin || !Exchange::get().is_open(*one)) continue;
      try {
        deliver(plugin, *one, args, n_args);
      } catch (const ServiceError& error) {
        if (!first) first = error;
      }
    }
    if (first) throw *first;
  });
}

mortise_status_t release(mortise_ctx_t* ctx, mortise_handle_t handle) noexcept {
  return serve(ctx, "exchange.release", From::kOwner, [&](PluginInstance& plugin) {
    // The kind is in the handle; a wrong one is refused like any other handle that is none.
    const auto kind = static_cast<ledger::Kind>(handle >> 56);
    const bool ours =
        kind == ledger::Kind::kService || kind == ledger::Kind::kUse || kind == ledger::Kind::kSubscription;
    if (!ours)
      throw ServiceError{MORTISE_BAD_HANDLE,
                         "handle " + std::to_string(handle) + " is no service, use or subscription of this plugin"};
    check_handle(plugin.ledger().release(kind, handle), handle, ledger::kind_name(kind));
  });
}

}  // namespace

const mortise_host_exchange_t kExchangeService = {
    sizeof(mortise_host_exchange_t), 0, offer, find, call, subscribe, raise, release};

}  // namespace mortise::bridge
