// Keeps an exponential moving average of the weights: validates with it, and leaves it in the model at the end.
#include <cstdint>
#include <mortise/cpp/plugin.hpp>
#include <string_view>
#include <utility>
#include <vector>

class Ema : public mortise::Callback {
 public:
  static constexpr mortise::Option kOptions[] = {
      mortise::double_option("decay", "Part of the average that an update keeps")
          .initially("0.999")
          .at_least(0)
          .at_most(1),
      mortise::int_option("every_n_steps", "Update after each n-th step").initially("1").at_least(1).in("steps"),
      mortise::int_option("start_step", "No update before this step").initially("0").at_least(0).in("steps"),
  };

  explicit Ema(mortise::Host host)
      : Callback(host),
        decay_(options().get<double>("decay")),
        every_n_steps_(options().get<uint64_t>("every_n_steps")),
        start_step_(options().get<uint64_t>("start_step")) {}

  void on_train_start(const mortise::Event& event) { steps_seen_ = event.global_step; }

  void on_train_batch_end(const mortise::Event& event) {
    if (event.global_step == std::exchange(steps_seen_, event.global_step)) return;  // gradients are being accumulated
    const uint64_t step = event.global_step - 1;
    if (step >= start_step_ && step % every_n_steps_ == 0) update();
  }

  // The trained weights come back only when training goes on: a checkpoint that is written in between has the average
  // in its model.
  void on_validation_start() { put_into_model(kAverage); }
  void on_train_epoch_end() { put_into_model(kAverage); }
  void on_train_batch_start() { put_into_model(kTrained); }

  void on_train_end() { log().info("the model has the average of {} updates", updates_); }

  void teardown() {
    others_.clear();
    updates_ = 0;
    in_model_ = kTrained;
  }

  void state_save(mortise::StateDict state) {
    if (others_.empty()) return;
    state.put("updates", updates_);
    state.put("average_in_model", in_model_ == kAverage);
    const mortise::StateDict others = state.put_dict("others");
    for (std::size_t i = 0; i < others_.size(); ++i) others.put(weights()[i].name, others_[i]);
  }
  void state_load(mortise::StateDict state) {
    updates_ = state.get("updates").as<uint64_t>();
    in_model_ = state.get("average_in_model").as<bool>() ? kAverage : kTrained;
    const mortise::StateDict saved = state.get_dict("others");
    copy_model();
    for (std::size_t i = 0; i < others_.size(); ++i) saved.copy_tensor(weights()[i].name, others_[i]);
  }

 private:
  enum Weights { kTrained, kAverage };

  std::vector<mortise::NamedTensor> weights() const { return model().parameters(); }

  // The average begins as a copy.
  void copy_model() {
    for (const auto& [name, weight] : weights()) others_.push_back(weight.clone(MORTISE_CUDA));
  }

  void update() {
    if (updates_++ == 0) return copy_model();
    const auto now = weights();
    for (std::size_t i = 0; i < now.size(); ++i) {
      std::vector<double> average = others_[i].read<double>();
      const std::vector<double> values = now[i].tensor.read<double>();
      for (std::size_t k = 0; k < values.size(); ++k) average[k] += (1 - decay_) * (values[k] - average[k]);
      others_[i].write(average);
    }
  }

  void put_into_model(Weights wanted) {
    if (others_.empty() || wanted == std::exchange(in_model_, wanted)) return;
    const auto now = weights();
    for (std::size_t i = 0; i < now.size(); ++i) {
      const mortise::Tensor held = others_[i].clone(MORTISE_CUDA);
      others_[i].copy_from(now[i].tensor);
      now[i].tensor.copy_from(held);
    }
  }

  const double decay_;
  const uint64_t every_n_steps_, start_step_;
  uint64_t steps_seen_ = 0, updates_ = 0;
  Weights in_model_ = kTrained;
  std::vector<mortise::Tensor> others_;  // parallel to weights(): those that the model does not have
};

MORTISE_PLUGIN(Ema, "ema", "1.0.0", "Validates and ends with an exponential moving average of the weights")
