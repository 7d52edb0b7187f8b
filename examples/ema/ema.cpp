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
    for (const auto& [index, tensor] : others_) others.put(name_of(index), tensor);
  }
  void state_load(mortise::StateDict state) {
    updates_ = state.get("updates").as<uint64_t>();
    in_model_ = state.get("average_in_model").as<bool>() ? kAverage : kTrained;
    const mortise::StateDict saved = state.get_dict("others");
    copy_model();
    for (const auto& [index, tensor] : others_) saved.copy_tensor(name_of(index), tensor);
  }

 private:
  enum Weights { kTrained, kAverage };

  std::string_view name_of(uint64_t parameter) const { return mortise::to_view(model().info(parameter).name); }

  // The average begins as a copy.
  void copy_model() {
    for (uint64_t i = 0; i < model().parameter_count(); ++i) {
      if (!model().info(i).shared) others_.emplace_back(i, model().parameter(i).clone(MORTISE_CUDA));
    }
  }

  void update() {
    if (updates_++ == 0) return copy_model();
    for (const auto& [index, average] : others_) {
      std::vector<double> values = average.read<double>();
      const std::vector<double> now = model().parameter(index).read<double>();
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += (1 - decay_) * (now[i] - values[i]);
      average.write(values);
    }
  }

  void put_into_model(Weights wanted) {
    if (wanted == std::exchange(in_model_, others_.empty() ? kTrained : wanted)) return;
    for (const auto& [index, other] : others_) {
      const mortise::Tensor held = other.clone(MORTISE_CUDA);
      other.copy_from(model().parameter(index));
      model().parameter(index).copy_from(held);
    }
  }

  const double decay_;
  const uint64_t every_n_steps_, start_step_;
  uint64_t steps_seen_ = 0, updates_ = 0;
  Weights in_model_ = kTrained;
  std::vector<std::pair<uint64_t, mortise::Tensor>> others_;  // by parameter; those that the model does not have
};

MORTISE_PLUGIN(Ema, "ema", "1.0.0", "Validates and ends with an exponential moving average of the weights")
