// Says how far the training is, at the end of each epoch.
#include <mortise/cpp/plugin.hpp>

struct MyFirstCallback : mortise::Callback {
  void on_train_epoch_end(const mortise::Event& event) {
    log().info("epoch {} is done after {} steps", event.epoch, event.global_step);
  }
};

MORTISE_PLUGIN(MyFirstCallback, "first_in_cpp", "1.0.0", "Says when an epoch is done", MORTISE_PLUGIN_OBSERVER)
