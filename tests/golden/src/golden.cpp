// Uses the C++ layer's services once in a fit. Kept as a binary by each compiler: see ../README.md.
#include <mortise/cpp/plugin.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

#ifndef GOLDEN_ID
#define GOLDEN_ID "golden_cpp"
#endif

namespace {

class Golden : public mortise::Callback {
 public:
  static constexpr mortise::Option kOptions[] = {
      mortise::int_option("first_step", "Where counting begins").initially("0").at_least(0).in("steps"),
  };

  explicit Golden(mortise::Host host) : Callback(host), steps_(options().get<int64_t>("first_step")) {}

  void on_fit_start() {
    hook_.emplace(hooks().on_gradient(0, Count{&gradients_}));
  }

  void on_train_batch_end(const mortise::Event& event) {
    if (tensors().view(event.loss).info().elements == 1) ++steps_;
  }

  void on_train_epoch_end(const mortise::Event& event) {
    log().info("epoch {} is done", event.epoch);
    use_tensors();
    use_masks();
    mortise::File file = files().create(std::string(run().directory()) + "/" GOLDEN_ID ".txt");
    file.write("good\n");
    file.commit();
    bool done = false;
    auto job = jobs().submit([&done](mortise::JobToken) { done = true; });
    job.wait();
    metrics().log("golden_job", done);
    metrics().log("golden_random", random()() != random()());
    metrics().log("golden_steps", static_cast<double>(steps_));
    metrics().log("golden_gradients", static_cast<double>(gradients_));
    metrics().log("golden_epoch", static_cast<double>(event.epoch));
  }

  void state_save(mortise::StateDict state) { state.put("steps", steps_); }
  void state_load(mortise::StateDict state) { steps_ = state.get("steps").as<int64_t>(); }

 private:
  struct Count {
    uint64_t* gradients;
    void operator()(uint64_t, mortise::TensorView gradient) const {
      if (gradient.info().elements != 0) ++*gradients;
    }
  };

  void use_tensors() {
    constexpr std::array<int64_t, 1> kShape = {3};
    constexpr std::array<float, 3> kValues = {1, 2, 3};
    const mortise::Tensor tensor = tensors().zeros(MORTISE_FLOAT32, kShape, MORTISE_CPU);
    tensor.write(kValues);
    double sum = 0;
    for (const double value : tensor.read<double>()) sum += value;
    metrics().log("golden_tensor", sum);
  }
  // A whole mask that keeps everything, set and baked in: the weights stay as they are.
  void use_masks() {
    const std::vector<uint8_t> keep(model().info(0).elements, 1);
    masks().set(0, keep);
    masks().clear(0, MORTISE_MASK_BAKE);
    metrics().log("golden_parameters", static_cast<double>(model().parameter_count()));
  }

  int64_t steps_ = 0;
  uint64_t gradients_ = 0;
  std::optional<mortise::GradientHook<Count>> hook_;
};

}  // namespace

MORTISE_PLUGIN(Golden, GOLDEN_ID, "1.0.0", "Uses each service once")
