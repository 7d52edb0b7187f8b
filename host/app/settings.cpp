// From the values that config has parsed and checked one by one to the trainer's structs. The names are checked
// already (they are choices of an enumeration), so the last branch of each chain is the remaining name, not a
// fallback.
#include "host/app/settings.h"

#include <charconv>

namespace mortise::app {
namespace {

// Not set differs from every number, as None does in Lightning.
std::optional<int64_t> optional_integer(const config::Values& values, const std::string& key) {
  if (!values.has(key)) return std::nullopt;
  return values.integer(key);
}

training::Accelerator accelerator(const std::string& name) {
  if (name == "cpu") return training::Accelerator::kCpu;
  return name == "cuda" ? training::Accelerator::kCuda : training::Accelerator::kAuto;
}

training::Precision precision(const std::string& name) {
  if (name == "16-mixed") return training::Precision::k16Mixed;
  return name == "bf16-mixed" ? training::Precision::kBf16Mixed : training::Precision::k32True;
}

training::OptimizerKind optimizer_kind(const std::string& name) {
  if (name == "adam") return training::OptimizerKind::kAdam;
  return name == "adamw" ? training::OptimizerKind::kAdamW : training::OptimizerKind::kSgd;
}

Status parse_betas(const config::Values& values, training::OptimizerOptions& options) {
  const std::vector<std::string> betas = values.list("betas");
  // from_chars, which no locale can turn against the point in "0.9".
  double* const targets[] = {&options.beta1, &options.beta2};
  bool good = betas.size() == 2;
  for (size_t i = 0; good && i < 2; ++i) {
    const char* end = betas[i].data() + betas[i].size();
    const auto [rest, error] = std::from_chars(betas[i].data(), end, *targets[i]);
    good = error == std::errc() && rest == end;
  }
  if (good) return {};
  return {Code::kUsage,
          "--betas: '" + values.text("betas") + "' is not two numbers with a comma between, such as 0.9,0.999"};
}

}  // namespace

Result<training::TrainerOptions> trainer_options(const config::Values& values) {
  training::TrainerOptions options;
  options.max_epochs = optional_integer(values, "max_epochs");
  options.min_epochs = optional_integer(values, "min_epochs");
  options.max_steps = values.integer("max_steps");
  options.min_steps = optional_integer(values, "min_steps");
  options.limit_train_batches = values.number("limit_train_batches");
  options.limit_val_batches = values.number("limit_val_batches");
  options.limit_test_batches = values.number("limit_test_batches");
  options.limit_predict_batches = values.number("limit_predict_batches");
  options.num_sanity_val_steps = values.integer("num_sanity_val_steps");
  options.val_check_interval = values.number("val_check_interval");
  options.check_val_every_n_epoch = optional_integer(values, "check_val_every_n_epoch");
  options.fast_dev_run = values.integer("fast_dev_run");
  options.accumulate_grad_batches = values.integer("accumulate_grad_batches");
  options.gradient_clip_val = values.real("gradient_clip_val");
  options.gradient_clip_algorithm = values.text("gradient_clip_algorithm");
  options.accelerator = accelerator(values.text("accelerator"));
  options.precision = precision(values.text("precision"));
  options.seed = static_cast<uint64_t>(values.integer("seed"));
  // What depends on several options at once is checked where the trainer defines it.
  return training::resolve(options);
}

Result<training::OptimizerOptions> optimizer_options(const config::Values& values) {
  training::OptimizerOptions options;
  options.kind = optimizer_kind(values.text("optimizer"));
  options.lr = values.real("lr");
  options.momentum = values.real("momentum");
  options.dampening = values.real("dampening");
  options.nesterov = values.flag("nesterov");
  // torch's defaults: 0.01 for AdamW, 0 for the others. One option cannot have both as its default, so it has none.
  const bool decoupled = options.kind == training::OptimizerKind::kAdamW;
  options.weight_decay = values.has("weight_decay") ? values.real("weight_decay") : decoupled ? 0.01 : 0.0;
  MORTISE_RETURN_IF_ERROR(parse_betas(values, options));
  options.eps = values.real("eps");
  options.amsgrad = values.flag("amsgrad");
  MORTISE_RETURN_IF_ERROR(training::check(options));
  return options;
}

bridge::OnPluginError on_plugin_error(const config::Values& values) {
  const std::string& name = values.text("on_plugin_error");
  if (name == "stop") return bridge::OnPluginError::kStop;
  return name == "detach" ? bridge::OnPluginError::kDetach : bridge::OnPluginError::kIgnore;
}

}  // namespace mortise::app
