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
  return lend(plugin, tensor, plugin.may_change_model());
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

// Frozen means that backward gives it no gradient; the optimiser passes over parameters without one.
mortise_status_t set_requires_grad(mortise_ctx_t* ctx, uint64_t index, uint32_t requires_grad) noexcept {
  return serve(ctx, "model.set_requires_grad", From::kRun, [&](PluginInstance& plugin) {
    if (!plugin.may_change_model())
      throw ServiceError{MORTISE_DENIED, "the model may not be changed by this plugin now"};
    at::Tensor parameter = find(plugin, index).tensor;
    parameter.requires_grad_(requires_grad != 0);
    // A gradient from before would be applied once more.
    if (!requires_grad) parameter.mutable_grad().reset();
  });
}

}  // namespace

const mortise_host_model_t kModelService = {sizeof(mortise_host_model_t),
                                            0,
                                            parameter_count,
                                            parameter_info,
                                            parameter,
                                            gradient,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            set_requires_grad,
                                            nullptr};

}  // namespace mortise::bridge
