// Logs the norm of each parameter's gradient before an optimiser step, and that of all of them together.
#include <algorithm>
#include <cmath>
#include <mortise/cpp/plugin.hpp>
#include <string>
#include <vector>

class GradNorm : public mortise::Callback {
 public:
  static constexpr mortise::Option kOptions[] = {
      mortise::double_option("norm_type", "p of the p-norm; inf: the greatest magnitude").initially("2").at_least(0.1),
      mortise::int_option("every_n_steps", "Log before each n-th step").initially("1").at_least(1).in("steps"),
  };

  explicit GradNorm(mortise::Host host)
      : Callback(host),
        p_(options().get<double>("norm_type")),
        every_n_steps_(options().get<uint64_t>("every_n_steps")) {}

  void on_before_optimizer_step(const mortise::Event& event) {
    if (event.global_step % every_n_steps_ != 0) return;
    std::vector<double> norms;
    for (const auto& [name, gradient] : model().gradients()) {
      norms.push_back(norm(gradient.read<double>()));
      metrics().log(prefix_ + "/" + std::string(name), norms.back());
    }
    metrics().log(prefix_ + "_total", norm(norms));
  }

  void on_train_epoch_end(const mortise::Event& event) {
    const auto total = metrics().find(prefix_ + "_total");
    if (total) log().info("epoch {}: {}_total is {:.4f}", event.epoch, prefix_, total->value);
  }

 private:
  double norm(const std::vector<double>& values) const {
    double sum = 0;
    for (const double value : values) {
      sum = std::isinf(p_) ? std::max(sum, std::abs(value)) : sum + std::pow(std::abs(value), p_);
    }
    return std::isinf(p_) ? sum : std::pow(sum, 1 / p_);
  }

  // As Python writes it: grad_2.0_norm, grad_inf_norm.
  std::string make_prefix() const {
    return mortise::format("grad_{}{}_norm", p_, std::floor(p_) == p_ && !std::isinf(p_) ? ".0" : "");
  }

  const double p_;
  const uint64_t every_n_steps_;
  const std::string prefix_ = make_prefix();
};

MORTISE_PLUGIN(GradNorm, "grad_norm", "1.0.0", "Logs the norms of the gradients", MORTISE_PLUGIN_OBSERVER)
