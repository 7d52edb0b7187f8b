// @NAME@: says how far the training is.
#include <mortise/cpp/plugin.hpp>

#include <cstdint>

class @CLASS@ : public mortise::Callback {
 public:
  // What a user may set: --@NAME@.every 5
  static constexpr mortise::Option kOptions[] = {
      mortise::int_option("every", "Say it every so many epochs").initially("1").at_least(1).in("epochs"),
  };

  explicit @CLASS@(mortise::Host host) : Callback(host), every_(options().get<int64_t>("every")) {}

  // Other events have the names that stand in mortise/event.h.
  void on_train_epoch_end(const mortise::Event& event) {
    ++epochs_;
    if (epochs_ % every_ == 0) log().info("{} epochs, {} steps", epochs_, event.global_step);
  }

  // A run that is resumed from a checkpoint counts on.
  void state_save(mortise::StateDict state) { state.put("epochs", epochs_); }
  void state_load(mortise::StateDict state) { epochs_ = state.get("epochs").as<int64_t>(); }

 private:
  const int64_t every_;
  int64_t epochs_ = 0;
};

// An observer changes nothing of the run; take the flag away for a plugin that does.
MORTISE_PLUGIN(@CLASS@, "@NAME@", "0.1.0", "Says how far the training is", MORTISE_PLUGIN_OBSERVER)
