// mortise.model/1: the parameters of the model by index, in the order of Python's named_parameters, and their
// tensors.
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

const training::Parameter& find(PluginInstance& plugin, uint64_t index) {
  const auto& parameters = model_of(plugin).parameters();
  if (index >= parameters.size())
    throw ServiceError{MORTISE_NOT_FOUND, "there is no parameter " + std::to_string(index) + "; the model has " +
                                              std::to_string(parameters.size())};
  return parameters[index];
}

mortise_status_t parameter_count(mortise_ctx_t* ctx, uint64_t* count) noexcept {
  return serve(ctx, "model.parameter_count", From::kRun, [&](PluginInstance& plugin) {
    need(count, "count");
    *count = model_of(plugin).parameters().size();
  });
}

mortise_status_t parameter_info(mortise_ctx_t* ctx, uint64_t index, mortise_parameter_info_t* info) noexcept {
  return serve(ctx, "model.parameter_info", From::kRun, [&](PluginInstance& plugin) {
    need(info, "info");
    const training::Parameter& parameter = find(plugin, index);
    // Filled whole and then cut to what the plugin knows, so that an older plugin works with a longer struct.
    mortise_parameter_info_t full = {};
    full.requires_grad = parameter.tensor.requires_grad();
    full.name = view(parameter.name);
    full.module = view(parameter.module);
    full.module_type = view(parameter.module_type);
    full.elements = static_cast<uint64_t>(parameter.tensor.numel());
    full.dims = static_cast<uint32_t>(parameter.tensor.dim());
    full.shared = parameter.shared;
    // dims tells the truth even where the shape's array is too short for it.
    for (int64_t i = 0; i < parameter.tensor.dim() && i < MORTISE_MAX_DIMS; ++i)
      full.shape[i] = parameter.tensor.size(i);
    fill(info, full);
  });
}

// Borrowed handles cost no tally and end with the event: a plugin cannot hold a parameter beyond the run by mistake.
mortise_handle_t borrow(PluginInstance& plugin, const at::Tensor& tensor) {
  return plugin.ledger().add(ledger::Kind::kTensor, std::make_unique<TensorResource>(tensor), true);
}

// The parameter itself, not a copy: what the plugin writes into it is in the model.
mortise_status_t parameter(mortise_ctx_t* ctx, uint64_t index, mortise_handle_t* tensor) noexcept {
  return serve(ctx, "model.parameter", From::kRun, [&](PluginInstance& plugin) {
    need(tensor, "tensor");
    *tensor = borrow(plugin, find(plugin, index).tensor);
  });
}

mortise_status_t gradient(mortise_ctx_t* ctx, uint64_t index, mortise_handle_t* tensor) noexcept {
  return serve(ctx, "model.gradient", From::kRun, [&](PluginInstance& plugin) {
    need(tensor, "tensor");
    const training::Parameter& parameter = find(plugin, index);
    // Between zeroing and the next backward there is none, as the trainer frees gradients rather than filling
    // them with 0.
    if (!parameter.tensor.grad().defined())
      throw ServiceError{MORTISE_NOT_FOUND, "parameter '" + parameter.name + "' has no gradient now"};
    *tensor = borrow(plugin, parameter.tensor.grad());
  });
}

}  // namespace

const mortise_host_model_t kModelService = {
    sizeof(mortise_host_model_t), 0, parameter_count, parameter_info, parameter, gradient};

}  // namespace mortise::bridge
