// The cheap checks first, then the GPU, then the data, so that a wrong option costs no waiting.
#include "host/app/preparation.h"

#include <algorithm>
#include <filesystem>

#include "host/app/accelerator.h"
#include "host/app/settings.h"
#include "host/app/signals.h"
#include "host/core/text.h"
#include "host/ledger/cpu_memory.h"

namespace mortise::app {
namespace {

std::vector<std::string> aliases(const config::Values& values) {
  return values.has("metric_alias") ? values.list("metric_alias") : std::vector<std::string>();
}

// What names files is checked before the first step, not when the first of them is written.
Status check_paths(const config::Values& values) {
  const std::string& root = values.text("default_root_dir");
  if (root.empty() || !valid_utf8(root))
    return {Code::kUsage, "--default-root-dir: '" + root + "' is " + (root.empty() ? "empty" : "not UTF-8")};
  if (!values.has("ckpt_path")) return {};
  std::error_code error;
  const std::string& resume = values.text("ckpt_path");
  if (std::filesystem::is_regular_file(resume, error)) return {};
  return {Code::kUsage, "--ckpt-path " + resume + ": " + (error ? error.message() : std::string("not a file"))};
}

}  // namespace

bridge::Environment Preparation::environment(Output& output, const std::filesystem::path& folder) const {
  bridge::Environment environment{output.log(), output.clock(), folder.string()};
  environment.seed = trainer.seed;
  environment.on_error = on_plugin_error(config.host);
  // The option is in seconds.
  environment.unload_timeout_ns = static_cast<int64_t>(std::min(config.host.real("unload_timeout"), 1e6) * 1e9);
  environment.accelerator = accelerator;
  return environment;
}

Status check_aliases(const config::Values& values) {
  for (const std::string& alias : aliases(values)) {
    const size_t equals = alias.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == alias.size())
      return {Code::kUsage, "--metric-alias: '" + alias + "' is not NAME=METRIC, such as 'val_loss=valid_loss'"};
  }
  return {};
}

Result<Preparation> prepare(config::RunConfig config, std::vector<bridge::PluginRequest> plugins, Output& output) {
  // First of all: tensors made before the counting begins are never counted, and a cycle's numbers would not be
  // exact.
  ledger::count_cpu_memory();
  const Result<training::TrainerOptions> trainer = trainer_options(config.host);
  if (!trainer.ok()) return trainer.status();
  const Result<training::OptimizerOptions> optimizer = optimizer_options(config.host);
  if (!optimizer.ok()) return optimizer.status();
  MORTISE_RETURN_IF_ERROR(check_aliases(config.host));
  MORTISE_RETURN_IF_ERROR(check_paths(config.host));
  // Before the workplace makes tensors: once libtorch has been asked about CUDA, the GPU part comes too late.
  const Result<ledger::Accelerator*> accelerator = open_accelerator(config.host.text("accelerator"), output.log());
  if (!accelerator.ok()) return accelerator.status();
  Result<Workplace> place = Workplace::open(config.host);
  if (!place.ok()) return place.status();
  return Preparation{std::move(config), *trainer, *optimizer, std::move(plugins), *accelerator, std::move(*place)};
}

// REQUIRES: check_aliases passed; the preparation and the output outlive the trainer.
std::unique_ptr<training::Trainer> make_trainer(const Preparation& prepared, Output& output,
                                                training::CheckpointStore* store) {
  auto trainer = std::make_unique<training::Trainer>(
      prepared.trainer, training::TrainerServices{output.log(), output.clock(), store, &interrupted()});
  for (const std::string& alias : aliases(prepared.config.host)) {
    const size_t equals = alias.find('=');
    trainer->metrics().add_alias(alias.substr(0, equals), alias.substr(equals + 1));
  }
  return trainer;
}

}  // namespace mortise::app
