// mortise.checkpoints/1: a plugin decides when a checkpoint is written and where; the trainer decides what is in it.
#include "host/bridge/service.h"
#include "host/training/trainer.h"

namespace mortise::bridge {
namespace {

// Writes the whole state of the run, or the weights alone. The other plugins' states are part of it, so their
// state_save runs inside this call, and this plugin's own as well.
mortise_status_t save(mortise_ctx_t* ctx, mortise_str_t path, uint32_t flags) noexcept {
  return serve(ctx, "checkpoints.save", From::kRun, [&](PluginInstance& plugin) {
    const std::string file = text_of(path, "the path");
    if (file.empty()) throw ServiceError{MORTISE_INVALID_ARGUMENT, "the path is empty"};
    if (flags & ~uint32_t{MORTISE_CHECKPOINT_WEIGHTS_ONLY})
      throw ServiceError{MORTISE_INVALID_ARGUMENT,
                         "flags " + std::to_string(flags) + " are more than MORTISE_CHECKPOINT_WEIGHTS_ONLY"};
    check(plugin.trainer()->save_checkpoint(file, flags & MORTISE_CHECKPOINT_WEIGHTS_ONLY));
  });
}

// The application keeps the two paths for --ckpt best and last. Paths that are empty say that there is no such file.
mortise_status_t announce(mortise_ctx_t* ctx, mortise_str_t best, mortise_str_t last) noexcept {
  return serve(ctx, "checkpoints.announce", From::kRun, [&](PluginInstance& plugin) {
    const std::string best_path = text_of(best, "the best path"), last_path = text_of(last, "the last path");
    // No application need listen: an embedder may leave the function empty.
    if (plugin.environment().announce) plugin.environment().announce(best_path, last_path);
  });
}

// The text lies in the trainer and stays good as long as the run does; empty if the run began afresh.
mortise_status_t resumed_from(mortise_ctx_t* ctx, mortise_str_t* path) noexcept {
  return serve(ctx, "checkpoints.resumed_from", From::kRun, [&](PluginInstance& plugin) {
    need(path, "path");
    *path = view(plugin.trainer()->resumed_from());
  });
}

}  // namespace

const mortise_host_checkpoints_t kCheckpointsService = {sizeof(mortise_host_checkpoints_t), 0, save, announce,
                                                        resumed_from};

}  // namespace mortise::bridge
