// What a checkpoint holds and how a run goes on from one; files and their form are the store's affair.
#include "host/training/checkpointing.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "host/training/guard.h"

namespace mortise::training {
namespace {

Result<RunState> read(Run& run, const std::string& path) {
  if (!run.services.checkpoints) return Status(Code::kUsage, "there is no checkpoint store to read " + path + " with");
  return run.services.checkpoints->load(path);
}

// Counters as they are at the beginning of an epoch, or inside one.
Result<RunProgress> resumed_progress(const Run& run, const RunState& state, const std::string& path) {
  Result<RunProgress> progress = progress_from(state.loops);
  MORTISE_RETURN_IF_ERROR(progress.status());
  Progress& epoch = progress->fit.epoch;
  // An epoch-end file was written before the end was told to all; the epoch counts.
  epoch.total.completed += epoch.current.processed - epoch.current.completed;
  epoch.current.completed = epoch.current.processed;
  const int64_t max_epochs = run.options.max_epochs.value_or(-1);
  if (max_epochs != -1 && epoch.current.completed > max_epochs) {
    return Status(Code::kUsage, path + " was written after " + std::to_string(epoch.current.completed) +
                                    " epochs, but max_epochs is " + std::to_string(max_epochs));
  }
  return progress;
}

// A shared parameter is trained once, as torch's parameters() names it once; frozen ones are left out.
std::unique_ptr<Optimizer> optimizer_for(Run& run, const OptimizerOptions& options) {
  std::vector<at::Tensor> trained;
  for (const Parameter& parameter : run.task->model().parameters()) {
    if (!parameter.shared && parameter.tensor.requires_grad()) trained.push_back(parameter.tensor);
  }
  return make_optimizer(options, std::move(trained));
}

// Built already, so that the state lands on the device that the parameters are on by now.
Status resume_optimizer(Run& run, const RunState& state) {
  const auto* map = state.optimizer_states.items.size() == 1
                        ? std::get_if<std::shared_ptr<StateMap>>(&state.optimizer_states.items.front())
                        : nullptr;
  if (!map) {
    return {Code::kData, "the checkpoint holds " + std::to_string(state.optimizer_states.items.size()) +
                             " optimizer states; 1 is needed"};
  }
  MORTISE_RETURN_IF_ERROR(run.optimizer->load_state_dict(**map));
  LossScaler* scaler = run.precision->scaler();
  // A file of another precision has no scaler's state: the scaler then starts from its first scale.
  if (!scaler || state.precision.items.empty()) return {};
  return scaler->load_state_dict(state.precision);
}

CheckpointFile file_at(const std::string& path, bool weights_only) {
  return {std::filesystem::absolute(path).string(), weights_only};
}

Status collect_state(Run& run, bool weights_only, RunState& state) {
  state.epoch = run.current_epoch();
  state.global_step = run.global_step();
  state.weights_only = weights_only;
  state.state_dict = run.task->model().state_dict();
  state.loops = to_state(run.progress);
  if (weights_only) return {};
  // There is none outside fit: a checkpoint that is saved in a test has weights and callbacks.
  if (run.optimizer) {
    state.optimizer_states.items.emplace_back(std::make_shared<StateMap>(run.optimizer->state_dict()));
  }
  LossScaler* scaler = run.precision->scaler();
  if (scaler) state.precision = scaler->state_dict();
  return run.callbacks.save_states(state.callbacks, run.moment(Event::kSetup), run.trainer);
}

}  // namespace

Status save_state(Run& run, const std::string& path, bool weights_only) {
  if (!run.task) return {Code::kUsage, "a checkpoint can be saved inside a run only"};
  if (!run.services.checkpoints) return {Code::kUsage, "there is no checkpoint store to write " + path + " with"};
  // One that is saved for each that was saved would have no end.
  if (run.saving) return {Code::kPlugin, "a checkpoint is being saved already: none can be saved inside that"};
  run.saving = true;
  // What libtorch, the store or a callback throws becomes a Status here.
  const Status status = guard([&]() -> Status {
    RunState state;
    MORTISE_RETURN_IF_ERROR(collect_state(run, weights_only, state));
    MORTISE_RETURN_IF_ERROR(run.services.checkpoints->save(path, state));
    return run.callbacks.tell_saved(file_at(path, weights_only), run.moment(Event::kSetup), run.trainer);
  });
  run.saving = false;
  return status;
}

// Before the move to the device, and on whatever device the model is: values are copied into it.
Status load_weights(Run& run, const std::string& path) {
  if (path.empty()) return {};
  const Result<RunState> state = read(run, path);
  MORTISE_RETURN_IF_ERROR(state.status());
  return run.task->model().load_state_dict(state->state_dict).within(path);
}

Status prepare_fit(Run& run, const OptimizerOptions& options, const std::string& path) {
  Model& model = run.task->model();
  if (path.empty()) {
    MORTISE_RETURN_IF_ERROR(model.to(run.device));
    run.optimizer = optimizer_for(run, options);
    // An epoch that an earlier fit began and did not end is not gone on with.
    Count& epoch = run.progress.fit.epoch.current;
    epoch.ready = epoch.started = epoch.completed = epoch.processed;
    return {};
  }

  const Result<RunState> state = read(run, path);
  MORTISE_RETURN_IF_ERROR(state.status());
  if (state->weights_only) return {Code::kUsage, path + " holds weights only: it can be tested, not resumed"};
  // Refused before the model is changed.
  const Result<RunProgress> progress = resumed_progress(run, *state, path);
  MORTISE_RETURN_IF_ERROR(progress.status());
  MORTISE_RETURN_IF_ERROR(model.load_state_dict(state->state_dict).within(path));
  MORTISE_RETURN_IF_ERROR(model.to(run.device));
  run.optimizer = optimizer_for(run, options);
  MORTISE_RETURN_IF_ERROR(resume_optimizer(run, *state).within(path));
  // Callbacks come last: their state_load may ask the run where it stands.
  run.progress = *progress;
  run.resumed_from = path;
  const Moment moment = run.moment(Event::kSetup);
  MORTISE_RETURN_IF_ERROR(run.callbacks.load_states(state->callbacks, moment, run.trainer, run.services.log));
  return run.callbacks.tell_loaded(file_at(path, false), moment, run.trainer);
}

}  // namespace mortise::training
