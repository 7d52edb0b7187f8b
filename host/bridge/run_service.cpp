// mortise.run/1: where the run stands, and the wish to end it.
#include <algorithm>
#include <cstring>

#include "host/bridge/service.h"
#include "host/training/trainer.h"

namespace mortise::bridge {
namespace {

// Unsigned fields have a value for "not set" where Lightning has None: 0 for minima, -1 for max_epochs. What
// is unknown is -1 in the trainer and the greatest number here.
mortise_run_info_t describe(const training::Trainer& trainer) {
  const training::TrainerOptions& options = trainer.options();
  mortise_run_info_t info = {};
  info.fast_dev_run = options.fast_dev_run > 0;
  info.max_epochs = options.max_epochs.value_or(-1);
  info.max_steps = options.max_steps;
  info.min_epochs = static_cast<uint64_t>(options.min_epochs.value_or(0));
  info.train_batches = static_cast<uint64_t>(trainer.train_batches());
  info.val_batches = static_cast<uint64_t>(trainer.val_batches());
  // Lightning's rule: a float is a share of the epoch, an integer a number of batches.
  const auto* fraction = std::get_if<double>(&options.val_check_interval);
  info.val_check_is_fraction = fraction != nullptr;
  info.val_check_interval = fraction ? *fraction : static_cast<double>(std::get<int64_t>(options.val_check_interval));
  info.check_val_every_n_epoch = options.check_val_every_n_epoch.value_or(0);
  info.should_stop = trainer.should_stop();
  info.validations = static_cast<uint64_t>(trainer.validations());
  info.current_epoch = static_cast<uint64_t>(trainer.current_epoch());
  info.global_step = static_cast<uint64_t>(trainer.global_step());
  info.world_size = 1;
  return info;
}

mortise_status_t info(mortise_ctx_t* ctx, mortise_run_info_t* info) noexcept {
  return serve(ctx, "run.info", From::kRun, [&](PluginInstance& plugin) {
    need(info, "info");
    fill(info, describe(*plugin.trainer()));
  });
}

// Taken note of, not done: the loop ends at its next check, and min_epochs and min_steps still hold, as for
// Lightning's should_stop.
mortise_status_t request_stop(mortise_ctx_t* ctx, mortise_str_t reason) noexcept {
  return serve(ctx, "run.request_stop", From::kRun, [&](PluginInstance& plugin) {
    deny_observer(plugin);
    plugin.trainer()->request_stop(plugin.name(), text_of(reason, "the reason"));
  });
}

mortise_status_t directory(mortise_ctx_t* ctx, mortise_str_t* path) noexcept {
  return serve(ctx, "run.directory", From::kAnywhere, [&](PluginInstance& plugin) {
    need(path, "path");
    // The folder need not exist yet: a run that writes nothing leaves none.
    *path = view(plugin.environment().run_directory);
  });
}

}  // namespace

const mortise_host_run_t kRunService = {sizeof(mortise_host_run_t), 0, info, request_stop, directory, nullptr};

}  // namespace mortise::bridge
