// The callbacks of a trainer, in their order, and who wants which event.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
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

  // In the middle of a run: from now on the callback is told nothing and saves nothing; it leaves the list as soon as
  // no event is running.
  //   gone  called then, by let_go; it may destroy the callback
  // Any thread. Of several calls for one callback the first counts.
  void drop(Callback& callback, std::function<void()> gone);
  // Takes out what was dropped, unless an event is running. Every event's end does the same: this is for what was
  // dropped outside of one.
  void let_go();

  // Asks each callback which events it wants: at the start of a run.
  void subscribe();
  bool wanted(Event event) const { return !wanting_[static_cast<size_t>(event)].empty(); }

  // Tells those who want the event, in order; the first failure ends it.
  Status tell(const Moment& moment, Trainer& trainer);
  // Only those in one part of kTrainEpochEnd: before the task's own hook, or after it.
  Status tell_ordinary(const Moment& moment, Trainer& trainer);
  Status tell_monitoring(const Moment& moment, Trainer& trainer);
  // Tells everybody, whatever fails; the first failure is returned, the others are logged.
  Status tell_all(const Moment& moment, Trainer& trainer, Log& log);
  void tell_exception(const Status& failure, const Moment& moment, Trainer& trainer, Log& log);

  // Key -> what each callback stores; callbacks that store nothing have no entry.
  Status save_states(StateMap& states, const Moment& moment, Trainer& trainer);
  // Callbacks without an entry are passed over; entries of nobody are warned of.
  Status load_states(const StateMap& states, const Moment& moment, Trainer& trainer, Log& log);

  // Tells of a file, in order; the first failure ends it.
  Status tell_saved(const CheckpointFile& file, const Moment& moment, Trainer& trainer);
  Status tell_loaded(const CheckpointFile& file, const Moment& moment, Trainer& trainer);

 private:
  struct Dropped {
    Callback* callback;
    std::function<void()> gone;
  };
  class Telling;
  bool is_dropped(const Callback& callback) const;

  std::vector<Callback*> ordered_;
  std::array<std::vector<Callback*>, static_cast<size_t>(Event::kCount)> wanting_;
  int telling_ = 0;                       // events that are running, one inside another
  std::atomic<bool> any_dropped_{false};  // so that an event looks no further where there is none
  mutable std::mutex dropped_mutex_;
  std::vector<Dropped> dropped_;  // guarded by dropped_mutex_
};

}  // namespace mortise::training
