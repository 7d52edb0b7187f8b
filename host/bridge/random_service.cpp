// mortise.random/1: numbers of the instance's own stream. It depends on the run's seed and the instance's name
// alone, so that adding a plugin changes neither the model's draws nor those of another plugin.
#include <ATen/Context.h>
#include <ATen/core/Generator.h>

#include "host/bridge/generator_resource.h"
#include "host/bridge/service.h"
#include "host/bridge/tensor_words.h"

namespace mortise::bridge {
namespace {

mortise_status_t fill_random(mortise_ctx_t* ctx, uint64_t* values, uint64_t count) noexcept {
  return serve(ctx, "random.fill", From::kAnywhere, [&](PluginInstance& plugin) {
    if (count) need(values, "values");
    for (uint64_t i = 0; i < count; ++i) values[i] = plugin.next_random();
  });
}

// A generator of libtorch's for operators that draw; its seed comes from the instance's own numbers.
mortise_status_t create_generator(mortise_ctx_t* ctx, uint32_t device, mortise_handle_t* generator) noexcept {
  return serve(ctx, "random.create_generator", From::kAnywhere, [&](PluginInstance& plugin) {
    need(generator, "generator");
    const at::Generator like = at::globalContext().defaultGenerator(device_of(plugin, device));
    at::Generator made = like.clone();
    made.set_current_seed(plugin.next_random());
    *generator = plugin.ledger().add(ledger::Kind::kGenerator, std::make_shared<GeneratorResource>(std::move(made)));
  });
}

mortise_status_t release(mortise_ctx_t* ctx, mortise_handle_t generator) noexcept {
  return serve(ctx, "random.release", From::kAnywhere, [&](PluginInstance& plugin) {
    check_handle(plugin.ledger().release(ledger::Kind::kGenerator, generator), generator, "generator");
  });
}

}  // namespace

const mortise_host_random_t kRandomService = {sizeof(mortise_host_random_t), 0, fill_random, create_generator, release};

}  // namespace mortise::bridge
