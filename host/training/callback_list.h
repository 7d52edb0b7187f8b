// The callbacks of a trainer, in their order, and who wants which event.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "host/core/log.h"
#include "host/core/status.h"
#include "host/training/callback.h"

namespace mortise::training {

class CallbackList {
 public:
  // Between runs.
  void add(Callback& callback);
  void remove(Callback& callback);

  // Asks each callback which events it wants: at the start of a run.
  void subscribe();
  bool wanted(Event event) const { return !wanting_[static_cast<size_t>(event)].empty(); }

  // Tells those who want the event, in order; the first failure ends it.
  Status tell(const Moment& moment, Trainer& trainer) const;
  // Only those in one part of kTrainEpochEnd: before the task's own hook, or after it.
  Status tell_ordinary(const Moment& moment, Trainer& trainer) const;
  Status tell_monitoring(const Moment& moment, Trainer& trainer) const;
  // Tells everybody, whatever fails; the first failure is returned, the others are logged.
  Status tell_all(const Moment& moment, Trainer& trainer, Log& log) const;
  void tell_exception(const Status& failure, const Moment& moment, Trainer& trainer, Log& log) const;

  // Key -> what each callback stores; callbacks that store nothing have no entry.
  Status save_states(StateMap& states, const Moment& moment, Trainer& trainer) const;
  // Callbacks without an entry are passed over; entries of nobody are warned of.
  Status load_states(const StateMap& states, const Moment& moment, Trainer& trainer, Log& log) const;

 private:
  std::vector<Callback*> ordered_;
  std::array<std::vector<Callback*>, static_cast<size_t>(Event::kCount)> wanting_;
};

}  // namespace mortise::training
