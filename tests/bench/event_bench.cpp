// What an event costs on its way through the border, beside a plain virtual call in the same run.
#include <benchmark/benchmark.h>

#include <memory>

#include "host/training/callback_list.h"
#include "tests/support/plugin_run.h"

namespace mortise {
namespace {

using training::Event;
using training::Moment;

// A plugin that takes part in on_train_batch_end and does nothing, in the list of a trainer.
class Subscribed {
 public:
  Subscribed() {
    loaded_ = run_.load(support::fixture("clean")).ok();
    if (!loaded_) return;
    callbacks_.add(*run_.plugins->instances().front());
    callbacks_.subscribe();
  }
  bool loaded() const { return loaded_; }
  // As the trainer does it (Run::tell).
  Status tell(const Moment& moment) {
    return callbacks_.wanted(moment.event) ? callbacks_.tell(moment, run_.trainer()) : Status();
  }

 private:
  support::PluginRun run_;
  training::CallbackList callbacks_;
  bool loaded_ = false;
};

void tell(benchmark::State& state, Event event) {
  Subscribed subscribed;
  if (!subscribed.loaded()) return state.SkipWithError("the fixture clean is not there");
  const training::Batch batch;
  Moment moment;
  moment.event = event;
  moment.batch = &batch;
  for (auto _ : state) {
    const Status status = subscribed.tell(moment);
    benchmark::DoNotOptimize(status.ok());
  }
}

struct Virtual {
  virtual ~Virtual() = default;
  virtual Status on(const Moment& moment) = 0;
};
struct Nothing : Virtual {
  Status on(const Moment& moment) override {
    benchmark::DoNotOptimize(&moment);
    return {};
  }
};

void virtual_call(benchmark::State& state) {
  std::unique_ptr<Virtual> callback = std::make_unique<Nothing>();
  benchmark::DoNotOptimize(callback);
  const Moment moment;
  for (auto _ : state) {
    const Status status = callback->on(moment);
    benchmark::DoNotOptimize(status.ok());
  }
}

BENCHMARK(virtual_call);
BENCHMARK_CAPTURE(tell, event_subscribed, Event::kTrainBatchEnd);
BENCHMARK_CAPTURE(tell, event_unsubscribed, Event::kTrainBatchStart);

}  // namespace
}  // namespace mortise
