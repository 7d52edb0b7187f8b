// One loaded plugin instance: its code, its identity (the context in every call), what it owns, its events.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/bridge/environment.h"
#include "host/bridge/job_pool.h"
#include "host/bridge/option_values.h"
#include "host/bridge/plugin_order.h"
#include "host/core/ticks.h"
#include "host/ledger/ledger.h"
#include "host/ledger/receipt.h"
#include "host/ledger/threads.h"
#include "host/loader/library.h"
#include "host/loader/plugin_file.h"
#include "host/training/callback.h"
#include "host/training/masks.h"
#include "mortise/mortise.h"

namespace mortise::bridge {

// What a plugin's descriptor says.
struct PluginDescription {
  std::vector<OptionSpec> options;
  std::vector<std::string> events;    // Lightning's names, those it takes part in
  std::vector<std::string> services;  // that it cannot do without
  OrderWishes order;
};

// Opens a plugin, reads its descriptor and closes it again. Its constructors and entry function run, nothing else.
Result<PluginDescription> describe(const loader::PluginFile& file);

// Takes part in a trainer as a callback. Made by load, ended by unload; both on the load-thread.
class PluginInstance : public training::Callback {
 public:
  // Opens the plugin, checks its descriptor and makes the instance.
  //   errors  kPlugin, naming the plugin and the way out
  static Result<std::unique_ptr<PluginInstance>> load(const loader::PluginFile& file, const std::string& name,
                                                      OptionValues options, const Environment& environment);

  // Ends the instance in DESIGN.md's order and says what was found. A quarantined one stays in memory with its gate
  // shut. REQUIRES: no trainer has it any more.
  static ledger::Receipt unload(std::unique_ptr<PluginInstance> instance);

  // Takes part in a trainer's runs from now on, between two of them; leave ends that.
  //   unload  called for a plugin that failed where such are detached (OnPluginError), when no event is running any
  //   more
  //           and the trainer knows the instance no longer. Ends the instance.
  void join(training::Trainer& trainer, std::function<void()> unload);
  void leave();

  PluginInstance(const PluginInstance&) = delete;
  PluginInstance& operator=(const PluginInstance&) = delete;
  ~PluginInstance() override;

  // training::Callback
  const std::string& name() const override { return name_; }
  std::string described() const override;
  training::CallbackGroup group() const override;
  int32_t priority() const override;
  std::string state_key() const override { return state_key_.empty() ? name_ : state_key_; }
  bool wants(training::Event event) const override;
  Status on(const training::Moment& moment, training::Trainer& trainer) override;
  Status on_exception(const Status& failure, training::Trainer& trainer) override;
  Status save_state(training::StateMap& state, training::Trainer& trainer) override;
  Status load_state(const training::StateMap& state, training::Trainer& trainer) override;
  Status on_checkpoint_saved(const training::CheckpointFile& file, training::Trainer& trainer) override;
  Status on_checkpoint_loaded(const training::CheckpointFile& file, training::Trainer& trainer) override;

  // Its name and what its descriptor says about its place in the list.
  Placed placed() const { return {name_, file_.id, wishes_of(*plugin_)}; }

  // For tests alone: to call services as the plugin would.
  mortise_ctx_t* internal_context() { return ctx_; }

  // For the services of this folder. ------------------------------------------------------------------------------

  const Environment& environment() const { return environment_; }
  const OptionValues& options() const { return options_; }
  ledger::Ledger& ledger() { return ledger_; }
  JobList& jobs() { return jobs_; }
  ledger::Tag tag() const { return tag_; }
  bool gate_open() const { return gate_open_.load(std::memory_order_acquire); }
  // The trainer and the moment of the event that is running; null outside events, and on every thread but the owner's.
  training::Trainer* trainer() const { return on_owner_thread() ? trainer_ : nullptr; }
  const training::Moment* moment() const { return on_owner_thread() ? moment_ : nullptr; }
  bool on_owner_thread() const;  // the thread that loaded it, which is also the train-thread
  // The device of the run whose event was the last; the CPU before the first. Any thread.
  at::Device run_device() const { return at::Device(at::DeviceType(device_type_.load(std::memory_order_relaxed))); }
  // Declared to change nothing.
  bool observer() const { return plugin_ && (plugin_->flags & MORTISE_PLUGIN_OBSERVER); }
  // Whether the model may be changed at this moment.
  bool may_change_model() const;

  // Tensors of the running event have fixed slots: no allocation for a handle that nobody looks at.
  enum EventTensor : uint32_t { kInput = 0, kTarget, kLoss, kEventTensors };
  struct FoundTensor {
    at::Tensor tensor;
    bool writable = true;
  };
  // The tensor behind a handle, borrowed or owned; undefined and why otherwise.
  FoundTensor tensor(mortise_handle_t handle, ledger::HandleError* error);

  // The mask of a parameter that this instance owns, by the model's masks.
  using MaskKey = std::pair<training::Masks*, size_t>;
  std::map<MaskKey, mortise_handle_t>& masks() { return masks_; }
  // Releases masks whose model is gone.
  void forget_dead_masks();

  // instance_create is running.
  bool being_created() const { return being_created_; }
  void set_state_key(std::string key) { state_key_ = std::move(key); }
  void set_plugin_error(std::string text);
  // What a call that failed outside an event comes to, such as a hook's: good if the run goes on. The message is whole.
  //   what    "a gradient hook"
  //   thrown  of call_out
  Status judge_failure(mortise_status_t code, const char* what, const std::string& thrown);
  // Runs code of the plugin's under its tag and lets no exception out of it.
  //   thrown  receives what one said
  mortise_status_t call_out(c10::function_ref<mortise_status_t()> call, std::string& thrown) const;
  // It failed and is about to be unloaded: nothing of it is called any more but its end. Any thread.
  bool fallen() const { return fallen_.load(std::memory_order_acquire); }
  uint64_t next_random();
  // Runs a function of this plugin's inside an event of another one's that calls it; no failure is ignored.
  //   why  the text of one
  mortise_status_t run_for(const PluginInstance& caller, const char* what,
                           c10::function_ref<mortise_status_t()> function, std::string* why);

 private:
  PluginInstance(const loader::PluginFile& file, std::string name, OptionValues options, const Environment& environment,
                 loader::Library library);
  Status start();  // entry, descriptor, instance_create
  // Calls into the plugin: tag, gate, timing, exceptions and the error's text.
  Status enter(const char* what, training::Trainer* trainer, const training::Moment* moment,
               c10::function_ref<mortise_status_t()> call);
  uint64_t calls_timed_by(const training::Moment* moment) const;
  Status failure(mortise_status_t code, const char* what, const std::string& thrown);
  std::string failure_here(const char* what, const std::string& why) const;
  void fall(const std::string& why);
  std::string take_plugin_error();
  mortise_event_t describe(const training::Moment& moment) const;
  Status call_state(mortise_status_t (*slot)(void*, const mortise_state_event_t*), const char* what,
                    training::StateMap& map, bool writable, uint32_t version, training::Trainer& trainer);
  Status call_checkpoint(mortise_status_t (*slot)(void*, const mortise_checkpoint_event_t*), const char* what,
                         const training::CheckpointFile& file, training::Trainer& trainer);
  void close_gate();
  bool come_to_rest(ledger::Receipt& receipt);
  bool shut_down(ledger::Receipt& receipt);
  void release_and_close(ledger::Receipt& receipt, bool quiet);

  const loader::PluginFile file_;
  const std::string name_;
  const OptionValues options_;
  const Environment& environment_;
  const ledger::Tag tag_;
  const std::thread::id owner_thread_;
  loader::Library library_;
  mortise_ctx_t* const ctx_;
  const TickScale tick_scale_;
  const mortise_plugin_t* plugin_ = nullptr;
  const mortise_events_t* events_ = nullptr;
  void* self_ = nullptr;
  bool being_created_ = false;
  std::atomic<bool> gate_open_{true};

  ledger::Ledger ledger_;
  JobList jobs_;
  std::map<MaskKey, mortise_handle_t> masks_;
  std::string state_key_;
  std::mutex error_mutex_;
  std::string plugin_error_;  // guarded by error_mutex_
  std::string fell_because_;  // guarded by error_mutex_
  std::atomic<bool> fallen_{false};
  training::Trainer* joined_ = nullptr;  // between join and leave
  std::function<void()> unload_;
  std::atomic<uint64_t> random_state_;

  // Of the owner's thread alone.
  training::Trainer* trainer_ = nullptr;
  const training::Moment* moment_ = nullptr;
  std::atomic<int8_t> device_type_{static_cast<int8_t>(at::kCPU)};
  uint32_t event_number_ = 0;   // of the running event: the generation of its tensor handles
  uint32_t event_counter_ = 0;  // events so far
  int32_t depth_ = 0;           // events within events: a checkpoint saved in one asks for states
  int64_t event_calls_ = 0;
  int64_t failures_ = 0;      // of calls, also those that the run goes on after
  uint64_t event_ticks_ = 0;  // time in calls
};

}  // namespace mortise::bridge
