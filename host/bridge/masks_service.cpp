// mortise.masks/1: a plugin decides which weights stay, the host keeps them at zero (training/masks.h). The plugin
// holds no copy of the weights, and each mask is in its ledger, so that unload finds it.
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include "host/bridge/mask_resource.h"
#include "host/bridge/service.h"
#include "host/training/trainer.h"

namespace mortise::bridge {
namespace {

// A trainer has a model only while a run is on.
training::Model& model_of(PluginInstance& plugin) {
  training::Model* model = plugin.trainer()->model();
  if (!model) throw ServiceError{MORTISE_WRONG_STATE, "no model is attached"};
  return *model;
}

// The element count is asked of the plugin so that a mask made for another model is refused, not read past its end.
const at::Tensor& parameter_of(training::Model& model, uint64_t index, uint64_t elements) {
  if (index >= model.parameters().size())
    throw ServiceError{MORTISE_NOT_FOUND, "there is no parameter " + std::to_string(index)};
  const training::Parameter& parameter = model.parameters()[index];
  const auto expected = static_cast<uint64_t>(parameter.tensor.numel());
  if (elements != expected)
    throw ServiceError{MORTISE_INVALID_ARGUMENT, "parameter '" + parameter.name + "' has " + std::to_string(expected) +
                                                     " elements, the mask " + std::to_string(elements)};
  return parameter.tensor;
}

// Host bytes as a bool tensor; any value but 0 and 1 is refused.
at::Tensor wrap(const uint8_t* keep, uint64_t elements, const at::Tensor& like) {
  if (elements) need(keep, "keep");
  for (uint64_t i = 0; i < elements; ++i)
    // A bool with another value than 0 and 1 is undefined in C++, and libtorch's kernels do not agree on it.
    if (keep[i] > 1)
      throw ServiceError{MORTISE_INVALID_ARGUMENT, "element " + std::to_string(i) + " of the mask is " +
                                                       std::to_string(keep[i]) + ", neither 0 nor 1"};
  // A view, valid for this call; Masks::set copies it to the parameter's device. Nothing writes through the cast.
  return at::from_blob(const_cast<uint8_t*>(keep), like.sizes(), at::TensorOptions(at::kBool));
}

// Sets or replaces the mask of one parameter. A mask of another plugin is refused by Masks.
mortise_status_t set(mortise_ctx_t* ctx, uint64_t parameter, const uint8_t* keep, uint64_t elements) noexcept {
  return serve(ctx, "masks.set", From::kRun, [&](PluginInstance& plugin) {
    if (!plugin.may_change_model())
      throw ServiceError{MORTISE_DENIED, "the model may not be changed by this plugin now"};
    training::Model& model = model_of(plugin);
    const at::Tensor& weights = parameter_of(model, parameter, elements);
    check(model.masks()->set(parameter, wrap(keep, elements, weights), plugin.tag()));
    // A mask of a model that is gone would otherwise share its key with a new model at the same address.
    plugin.forget_dead_masks();
    mortise_handle_t& handle = plugin.masks()[{model.masks().get(), parameter}];
    // Replaced, not added: the thing in the ledger stays the one that the first call made.
    if (handle) return;
    const auto device = weights.is_cuda() ? ledger::Device::kCuda : ledger::Device::kCpu;
    auto mask = std::make_shared<MaskResource>(model.masks(), parameter, plugin.tag(), device);
    // A number, so that size_bytes needs no model.
    mask->bytes = model.masks()->size_bytes(parameter);
    handle = plugin.ledger().add(ledger::Kind::kMask, std::move(mask));
  });
}

mortise_status_t get(mortise_ctx_t* ctx, uint64_t parameter, uint8_t* keep, uint64_t elements) noexcept {
  return serve(ctx, "masks.get", From::kRun, [&](PluginInstance& plugin) {
    training::Model& model = model_of(plugin);
    const at::Tensor& weights = parameter_of(model, parameter, elements);
    const at::Tensor mask = model.masks()->get(parameter);
    const training::Masks::Owner owner = model.masks()->owner(parameter);
    // What was kept on behalf of an earlier plugin is the model's own by now, and open to all.
    if (!mask.defined() || (owner != plugin.tag() && owner != training::Masks::kModel))
      throw ServiceError{MORTISE_NOT_FOUND, "parameter " + std::to_string(parameter) + " has no mask of this plugin's"};
    if (elements) need(keep, "keep");
    // The copy goes straight into the plugin's buffer, from the GPU as well; a bool of libtorch is one byte, 0
    // or 1.
    at::from_blob(keep, weights.sizes(), at::TensorOptions(at::kBool)).copy_(mask);
  });
}

// Masks of a parameter index that the caller owns: on the run's model, or outside a run on every model.
std::vector<PluginInstance::MaskKey> owned(PluginInstance& plugin, uint64_t parameter) {
  std::vector<PluginInstance::MaskKey> keys;
  const training::Model* model = plugin.trainer() ? plugin.trainer()->model() : nullptr;
  for (const auto& [key, handle] : plugin.masks())
    if (key.second == parameter && (!model || key.first == model->masks().get())) keys.push_back(key);
  return keys;
}

// Baking leaves the zeros in the weights and gives them free; keeping hands the mask over to the model.
mortise_status_t clear(mortise_ctx_t* ctx, uint64_t parameter, uint32_t how) noexcept {
  return serve(ctx, "masks.clear", From::kOwner, [&](PluginInstance& plugin) {
    if (how != MORTISE_MASK_BAKE && how != MORTISE_MASK_KEEP)
      throw ServiceError{MORTISE_INVALID_ARGUMENT,
                         std::to_string(how) + " is neither MORTISE_MASK_BAKE nor MORTISE_MASK_KEEP"};
    const auto keys = owned(plugin, parameter);
    if (keys.empty())
      throw ServiceError{MORTISE_NOT_FOUND, "parameter " + std::to_string(parameter) + " has no mask of this plugin's"};
    for (const PluginInstance::MaskKey& key : keys) {
      const mortise_handle_t handle = plugin.masks()[key];
      const auto mask = find_resource<MaskResource>(plugin, ledger::Kind::kMask, handle);
      const bool keep = how == MORTISE_MASK_KEEP;
      // First the change of owner: the resource bakes on destruction only what its plugin still owns.
      if (const auto alive = mask->masks.lock(); alive && keep) alive->keep(parameter);
      check_handle(plugin.ledger().release(ledger::Kind::kMask, handle, keep), handle, "mask");
      plugin.masks().erase(key);
    }
  });
}

}  // namespace

const mortise_host_masks_t kMasksService = {sizeof(mortise_host_masks_t), 0, set, get, clear};

}  // namespace mortise::bridge
