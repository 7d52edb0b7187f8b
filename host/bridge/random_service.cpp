// mortise.random/1: numbers of the instance's own stream. It depends on the run's seed and the instance's name
// alone, so that adding a plugin changes neither the model's draws nor those of another plugin.
#include "host/bridge/service.h"

namespace mortise::bridge {
namespace {

mortise_status_t fill_random(mortise_ctx_t* ctx, uint64_t* values, uint64_t count) noexcept {
  return serve(ctx, "random.fill", From::kAnywhere, [&](PluginInstance& plugin) {
    if (count) need(values, "values");
    for (uint64_t i = 0; i < count; ++i) values[i] = plugin.next_random();
  });
}

}  // namespace

const mortise_host_random_t kRandomService = {sizeof(mortise_host_random_t), 0, fill_random};

}  // namespace mortise::bridge
