// Who is told what, in which order. Each failure is given the callback's name and the place in the run here, once.
#include "host/training/callback_list.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "host/training/guard.h"

namespace mortise::training {
namespace {

// Checkpointing last, as in Lightning, so that what is saved is what all the others have done. Monitoring is no rank:
// it only matters at the end of an epoch.
std::tuple<bool, int32_t> rank(const Callback& callback) {
  return {callback.group() == CallbackGroup::kCheckpointing, callback.priority()};
}

// Who failed, in which call, and where the run stood. Apart from call, which is on the way of every event.
Status failed(const Callback& callback, const char* what, const Moment& moment, const Status& status) {
  return {Code::kPlugin, failure_text(callback, what, moment.epoch, moment.global_step, status.message())};
}

// Runs one call into a callback; a failure says who failed, in which call, and where the run stood.
template <typename Call>
Status call(const Callback& callback, const char* what, const Moment& moment, Call&& run) {
  Status status = guard(run);
  if (!status.ok()) status = failed(callback, what, moment, status);
  return status;
}

Status tell_one(Callback& callback, const Moment& moment, Trainer& trainer) {
  return call(callback, event_name(moment.event), moment, [&] { return callback.on(moment, trainer); });
}

}  // namespace

// Around everything that calls callbacks: when the outermost one ends, those that were dropped inside may go.
class CallbackList::Telling {
 public:
  explicit Telling(CallbackList& list) : list_(list) { ++list_.telling_; }
  ~Telling() {
    --list_.telling_;
    list_.let_go();
  }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;

 private:
  CallbackList& list_;
};

void CallbackList::add(Callback& callback) {
  ordered_.push_back(&callback);
  // Stable: equal ranks keep the order of the user's list.
  std::stable_sort(ordered_.begin(), ordered_.end(),
                   [](const Callback* a, const Callback* b) { return rank(*a) < rank(*b); });
}

// Also from the lists of the run that is on: unload may follow at once.
void CallbackList::remove(Callback& callback) {
  std::erase(ordered_, &callback);
  for (auto& list : wanting_) std::erase(list, &callback);
  const std::lock_guard lock(dropped_mutex_);
  std::erase_if(dropped_, [&](const Dropped& one) { return one.callback == &callback; });
}

void CallbackList::drop(Callback& callback, std::function<void()> gone) {
  const std::lock_guard lock(dropped_mutex_);
  const auto same = [&](const Dropped& one) { return one.callback == &callback; };
  if (std::any_of(dropped_.begin(), dropped_.end(), same)) return;
  dropped_.push_back({&callback, std::move(gone)});
  any_dropped_.store(true, std::memory_order_release);
}

bool CallbackList::is_dropped(const Callback& callback) const {
  if (!any_dropped_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(dropped_mutex_);
  return std::any_of(dropped_.begin(), dropped_.end(), [&](const Dropped& one) { return one.callback == &callback; });
}

// One after the other, and not under the lock: what `gone` does may end other callbacks.
void CallbackList::let_go() {
  while (telling_ == 0 && any_dropped_.load(std::memory_order_acquire)) {
    Dropped next{nullptr, {}};
    {
      const std::lock_guard lock(dropped_mutex_);
      if (!dropped_.empty()) next = dropped_.front();
      any_dropped_.store(dropped_.size() > 1, std::memory_order_release);
    }
    if (!next.callback) return;
    remove(*next.callback);
    next.gone();
  }
}

// Once a run, so that an event that nobody wants costs one look at an empty list.
void CallbackList::subscribe() {
  for (size_t event = 0; event < wanting_.size(); ++event) {
    wanting_[event].clear();
    for (Callback* callback : ordered_) {
      if (callback->wants(static_cast<Event>(event))) wanting_[event].push_back(callback);
    }
  }
}

Status CallbackList::tell(const Moment& moment, Trainer& trainer) {
  const Telling telling(*this);
  for (Callback* callback : wanting_[static_cast<size_t>(moment.event)]) {
    if (!is_dropped(*callback)) MORTISE_RETURN_IF_ERROR(tell_one(*callback, moment, trainer));
  }
  return {};
}

// The end of an epoch comes in two parts: the model logs its epoch's values after the ordinary callbacks and before
// those that read them.
Status CallbackList::tell_ordinary(const Moment& moment, Trainer& trainer) {
  const Telling telling(*this);
  for (Callback* callback : wanting_[static_cast<size_t>(moment.event)]) {
    if (callback->group() != CallbackGroup::kOrdinary || is_dropped(*callback)) continue;
    MORTISE_RETURN_IF_ERROR(tell_one(*callback, moment, trainer));
  }
  return {};
}

Status CallbackList::tell_monitoring(const Moment& moment, Trainer& trainer) {
  const Telling telling(*this);
  for (Callback* callback : wanting_[static_cast<size_t>(moment.event)]) {
    if (callback->group() == CallbackGroup::kOrdinary || is_dropped(*callback)) continue;
    MORTISE_RETURN_IF_ERROR(tell_one(*callback, moment, trainer));
  }
  return {};
}

// For teardown: every callback is told, whatever became of those before it. The first failure is given back, the
// others are logged.
Status CallbackList::tell_all(const Moment& moment, Trainer& trainer, Log& log) {
  const Telling telling(*this);
  Status first;
  for (Callback* callback : wanting_[static_cast<size_t>(moment.event)]) {
    if (is_dropped(*callback)) continue;
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

// Every callback, not only those that want events. What fails in here cannot change the run's outcome any more.
void CallbackList::tell_exception(const Status& failure, const Moment& moment, Trainer& trainer, Log& log) {
  const Telling telling(*this);
  for (Callback* callback : ordered_) {
    if (is_dropped(*callback)) continue;
    const Status status =
        call(*callback, "on_exception", moment, [&] { return callback->on_exception(failure, trainer); });
    if (!status.ok()) log.error(status.message());
  }
}

Status CallbackList::save_states(StateMap& states, const Moment& moment, Trainer& trainer) {
  const Telling telling(*this);
  for (Callback* callback : ordered_) {
    if (is_dropped(*callback)) continue;
    auto state = std::make_shared<StateMap>();
    MORTISE_RETURN_IF_ERROR(
        call(*callback, "state_save", moment, [&] { return callback->save_state(*state, trainer); }));
    // As in Lightning: a callback without state has no entry in the file. Nor has one that fell while it saved.
    if (!state->items.empty() && !is_dropped(*callback)) states.set(callback->state_key(), std::move(state));
  }
  return {};
}

Status CallbackList::load_states(const StateMap& states, const Moment& moment, Trainer& trainer, Log& log) {
  const Telling telling(*this);
  std::set<std::string> known;
  for (Callback* callback : ordered_) {
    const std::string key = callback->state_key();
    known.insert(key);
    // A callback that was not there when the file was written begins anew.
    const StateMap* state = find_map(states, key);
    if (!state || is_dropped(*callback)) continue;
    MORTISE_RETURN_IF_ERROR(
        call(*callback, "state_load", moment, [&] { return callback->load_state(*state, trainer); }));
  }
  for (const auto& [key, state] : states.items) {
    const std::string* name = std::get_if<std::string>(&key);
    // A warning, as in Lightning: the run can go on, but somebody may have forgotten a plugin.
    if (name && !known.contains(*name)) log.warning("the checkpoint's state of '" + *name + "' belongs to no plugin");
  }
  return {};
}

Status CallbackList::tell_saved(const CheckpointFile& file, const Moment& moment, Trainer& trainer) {
  const Telling telling(*this);
  for (Callback* callback : ordered_) {
    if (is_dropped(*callback)) continue;
    MORTISE_RETURN_IF_ERROR(
        call(*callback, "on_checkpoint_saved", moment, [&] { return callback->on_checkpoint_saved(file, trainer); }));
  }
  return {};
}

Status CallbackList::tell_loaded(const CheckpointFile& file, const Moment& moment, Trainer& trainer) {
  const Telling telling(*this);
  for (Callback* callback : ordered_) {
    if (is_dropped(*callback)) continue;
    MORTISE_RETURN_IF_ERROR(
        call(*callback, "on_checkpoint_loaded", moment, [&] { return callback->on_checkpoint_loaded(file, trainer); }));
  }
  return {};
}

}  // namespace mortise::training
