// mortise.hooks/1: calls into a plugin from the middle of the backward pass, one a parameter.
#include <ATen/core/Tensor.h>

#include "host/bridge/service.h"
#include "host/training/guard.h"
#include "host/training/trainer.h"

namespace mortise::bridge {
namespace {

// Removes the hook from the tensor when it is released, by the plugin or at unload. Hooks are the first kind to go
// (ledger/kind.h), because libtorch would call into code that is about to be unmapped.
struct HookResource : ledger::Resource {
  HookResource(at::Tensor on, unsigned at) : tensor(std::move(on)), position(at) {}
  ~HookResource() override { tensor.remove_hook(position); }
  at::Tensor tensor;
  unsigned position;
};

// Calls the plugin from inside the backward pass; its failure travels as an exception to whoever called backward.
at::Tensor call(PluginInstance& plugin, mortise_gradient_fn_t run, void* user, uint64_t parameter,
                const at::Tensor& gradient) {
  // The gate of a plugin that is being unloaded is shut, and one that failed is not called again: the gradient passes
  // unchanged.
  if (!plugin.gate_open() || plugin.fallen()) return gradient;
  // Lent until the call returns: a plugin without events would else hold every gradient of the run.
  const mortise_handle_t handle = lend(plugin, gradient, !plugin.observer());
  mortise_status_t (*function)(void*, uint64_t, mortise_handle_t) = run;  // may throw, whatever its type says
  std::string thrown;
  const mortise_status_t code = plugin.call_out([&] { return function(user, parameter, handle); }, thrown);
  plugin.ledger().end_borrow(handle);
  // libtorch carries an exception from a hook to the caller of backward; a returned code would be lost in between.
  const Status status = code == MORTISE_OK ? Status() : plugin.judge_failure(code, "a gradient hook", thrown);
  if (!status.ok()) throw training::StatusError(status);
  // The plugin may have written into the tensor, which is the gradient itself and not a copy of it.
  return gradient;
}

mortise_status_t on_gradient(mortise_ctx_t* ctx, uint64_t parameter, mortise_gradient_fn_t run, void* user,
                             mortise_handle_t* hook) noexcept {
  return serve(ctx, "hooks.on_gradient", From::kRun, [&](PluginInstance& plugin) {
    // A function pointer becomes a void pointer only by a cast; POSIX promises that this works.
    need(reinterpret_cast<const void*>(run), "run");
    need(hook, "hook");
    training::Model* model = plugin.trainer()->model();
    if (!model || parameter >= model->parameters().size())
      throw ServiceError{MORTISE_NOT_FOUND, "there is no parameter " + std::to_string(parameter)};
    const at::Tensor& tensor = model->parameters()[parameter].tensor;
    // The hook refers to the instance without owning it. That is safe because the resource below ends before the
    // instance.
    const unsigned position = tensor.register_hook([&plugin, run, user, parameter](const at::Tensor& gradient) {
      return call(plugin, run, user, parameter, gradient);
    });
    *hook = plugin.ledger().add(ledger::Kind::kHook, std::make_shared<HookResource>(tensor, position));
  });
}

mortise_status_t release(mortise_ctx_t* ctx, mortise_handle_t hook) noexcept {
  return serve(ctx, "hooks.release", From::kOwner, [&](PluginInstance& plugin) {
    check_handle(plugin.ledger().release(ledger::Kind::kHook, hook), hook, "hook");
  });
}

}  // namespace

const mortise_host_hooks_t kHooksService = {sizeof(mortise_host_hooks_t), 0, on_gradient, release, nullptr};

}  // namespace mortise::bridge
