#include "host/bridge/service.h"
#include "host/training/trainer.h"

namespace mortise::bridge {
namespace {

mortise_status_t save(mortise_ctx_t* ctx, mortise_str_t path, uint32_t flags) noexcept {
  return serve(ctx, "checkpoints.save", From::kRun, [&](PluginInstance& plugin) {
    const std::string file = text_of(path, "the path");
    if (file.empty()) throw ServiceError{MORTISE_INVALID_ARGUMENT, "the path is empty"};
    check(plugin.trainer()->save_checkpoint(file, flags & MORTISE_CHECKPOINT_WEIGHTS_ONLY));
  });
}

mortise_status_t announce(mortise_ctx_t* ctx, mortise_str_t best, mortise_str_t last) noexcept {
  return serve(ctx, "checkpoints.announce", From::kRun, [&](PluginInstance& plugin) {
    const std::string best_path = text_of(best, "the best path"), last_path = text_of(last, "the last path");
    if (plugin.environment().announce) plugin.environment().announce(best_path, last_path);
  });
}

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
