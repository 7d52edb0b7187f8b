// A callback that notes what it is told, and does what a test says.
#pragma once

#include <c10/core/GradMode.h>
#include <torch/nn/module.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/training/callback.h"
#include "host/training/trainer.h"

namespace mortise::support {

class RecordingCallback : public training::Callback {
 public:
  struct Entry {
    std::string hook;
    int64_t epoch = 0;
    int64_t global_step = 0;
    training::Stage function = training::Stage::kTrain;
    training::Stage stage = training::Stage::kTrain;
    int64_t batch_idx = 0;
    bool is_last_batch = false;
    bool grad = false;
    bool train_mode = false;
  };

  explicit RecordingCallback(std::string name, training::CallbackGroup group = training::CallbackGroup::kOrdinary,
                             int32_t priority = 0)
      : name_(std::move(name)), group_(group), priority_(priority) {}

  const std::string& name() const override { return name_; }
  training::CallbackGroup group() const override { return group_; }
  int32_t priority() const override { return priority_; }
  bool wants(training::Event event) const override { return only.empty() || only.contains(event); }

  Status on(const training::Moment& moment, training::Trainer& trainer) override {
    note(training::event_name(moment.event), moment, trainer);
    return react ? react(moment, trainer) : Status();
  }
  Status on_exception(const Status& failure, training::Trainer& trainer) override {
    failures.push_back(failure);
    note("on_exception", {}, trainer);
    return in_exception ? in_exception(trainer) : Status();
  }
  Status save_state(training::StateMap& to_save, training::Trainer&) override {
    to_save = state;
    return {};
  }
  Status load_state(const training::StateMap& loaded, training::Trainer& trainer) override {
    state = loaded;
    note("load_state", {}, trainer);
    return {};
  }

  std::vector<std::string> hooks() const {
    std::vector<std::string> names;
    for (const Entry& entry : entries) names.push_back(entry.hook);
    return names;
  }

  std::set<training::Event> only;  // empty: all
  std::function<Status(const training::Moment&, training::Trainer&)> react;
  std::function<Status(training::Trainer&)> in_exception;
  training::StateMap state;  // what it saves, and what it was given
  std::vector<Entry> entries;
  std::vector<Status> failures;
  std::vector<std::string>* shared_order = nullptr;  // notes "name:hook" of several callbacks

 private:
  void note(const std::string& hook, const training::Moment& moment, training::Trainer& trainer) {
    const bool train_mode = trainer.model() && trainer.model()->network().is_training();
    entries.push_back({hook, moment.epoch, moment.global_step, moment.function, moment.stage, moment.batch_idx,
                       moment.is_last_batch, c10::GradMode::is_enabled(), train_mode});
    if (shared_order) shared_order->push_back(name_ + ":" + hook);
  }

  std::string name_;
  training::CallbackGroup group_;
  int32_t priority_;
};

}  // namespace mortise::support
