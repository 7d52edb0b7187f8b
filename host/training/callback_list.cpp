#include "host/training/callback_list.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "host/training/guard.h"

namespace mortise::training {
namespace {

std::tuple<bool, int32_t> rank(const Callback& callback) {
  return {callback.group() == CallbackGroup::kCheckpointing, callback.priority()};
}

// Runs one call into a callback; a failure says who failed, in which call, and where the run stood.
template <typename Call>
Status call(const Callback& callback, const char* what, const Moment& moment, Call&& run) {
  const Status status = guard(run);
  if (status.ok()) return status;
  return {Code::kPlugin, "plugin '" + callback.name() + "' failed in " + what + ", epoch " +
                             std::to_string(moment.epoch) + ", step " + std::to_string(moment.global_step) + ": " +
                             status.message()};
}

Status tell_one(Callback& callback, const Moment& moment, Trainer& trainer) {
  return call(callback, event_name(moment.event), moment, [&] { return callback.on(moment, trainer); });
}

}  // namespace

void CallbackList::add(Callback& callback) {
  ordered_.push_back(&callback);
  std::stable_sort(ordered_.begin(), ordered_.end(),
                   [](const Callback* a, const Callback* b) { return rank(*a) < rank(*b); });
}

void CallbackList::remove(Callback& callback) {
  std::erase(ordered_, &callback);
  for (auto& list : wanting_) std::erase(list, &callback);
}

void CallbackList::subscribe() {
  for (size_t event = 0; event < wanting_.size(); ++event) {
    wanting_[event].clear();
    for (Callback* callback : ordered_) {
      if (callback->wants(static_cast<Event>(event))) wanting_[event].push_back(callback);
    }
  }
}

Status CallbackList::tell(const Moment& moment, Trainer& trainer) const {
  for (Callback* callback : wanting_[static_cast<size_t>(moment.event)]) {
    MORTISE_RETURN_IF_ERROR(tell_one(*callback, moment, trainer));
  }
  return {};
}

Status CallbackList::tell_ordinary(const Moment& moment, Trainer& trainer) const {
  for (Callback* callback : wanting_[static_cast<size_t>(moment.event)]) {
    if (callback->group() != CallbackGroup::kOrdinary) continue;
    MORTISE_RETURN_IF_ERROR(tell_one(*callback, moment, trainer));
  }
  return {};
}

Status CallbackList::tell_monitoring(const Moment& moment, Trainer& trainer) const {
  for (Callback* callback : wanting_[static_cast<size_t>(moment.event)]) {
    if (callback->group() == CallbackGroup::kOrdinary) continue;
    MORTISE_RETURN_IF_ERROR(tell_one(*callback, moment, trainer));
  }
  return {};
}

Status CallbackList::tell_all(const Moment& moment, Trainer& trainer, Log& log) const {
  Status first;
  for (Callback* callback : wanting_[static_cast<size_t>(moment.event)]) {
    Status status = tell_one(*callback, moment, trainer);
    if (status.ok()) continue;
    if (first.ok()) {
      first = std::move(status);
    } else {
      log.error(status.message());
    }
  }
  return first;
}

void CallbackList::tell_exception(const Status& failure, const Moment& moment, Trainer& trainer, Log& log) const {
  for (Callback* callback : ordered_) {
    const Status status =
        call(*callback, "on_exception", moment, [&] { return callback->on_exception(failure, trainer); });
    if (!status.ok()) log.error(status.message());
  }
}

Status CallbackList::save_states(StateMap& states, const Moment& moment, Trainer& trainer) const {
  for (Callback* callback : ordered_) {
    auto state = std::make_shared<StateMap>();
    MORTISE_RETURN_IF_ERROR(
        call(*callback, "state_save", moment, [&] { return callback->save_state(*state, trainer); }));
    if (!state->items.empty()) states.set(callback->state_key(), std::move(state));
  }
  return {};
}

Status CallbackList::load_states(const StateMap& states, const Moment& moment, Trainer& trainer, Log& log) const {
  std::set<std::string> known;
  for (Callback* callback : ordered_) {
    const std::string key = callback->state_key();
    known.insert(key);
    const StateMap* state = find_map(states, key);
    if (!state) continue;
    MORTISE_RETURN_IF_ERROR(
        call(*callback, "state_load", moment, [&] { return callback->load_state(*state, trainer); }));
  }
  for (const auto& [key, state] : states.items) {
    const std::string* name = std::get_if<std::string>(&key);
    if (name && !known.contains(*name)) log.warning("the checkpoint's state of '" + *name + "' belongs to no plugin");
  }
  return {};
}

}  // namespace mortise::training
