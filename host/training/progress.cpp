// The counters as Lightning writes them under "loops", key by key, because its own trainer looks them up by name.
#include "host/training/progress.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mortise::training {
namespace {

using Fields = std::vector<std::pair<const char*, int64_t Count::*>>;

// In Lightning's order, which is that of its classes, not of time.
const Fields kAllFields = {{"ready", &Count::ready},
                           {"completed", &Count::completed},
                           {"started", &Count::started},
                           {"processed", &Count::processed}};
// Lightning counts less of some things, and its files must not have more.
const Fields kStepFields = {{"ready", &Count::ready}, {"completed", &Count::completed}};
const Fields kStartFields = {{"ready", &Count::ready}, {"completed", &Count::completed}, {"started", &Count::started}};

std::shared_ptr<StateMap> pack(StateMap map) { return std::make_shared<StateMap>(std::move(map)); }

StateMap count_state(const Count& count, const Fields& fields) {
  StateMap state;
  for (const auto& [name, field] : fields) state.set(name, count.*field);
  return state;
}

StateMap progress_state(const Progress& progress, const Fields& fields) {
  StateMap state;
  state.set("total", pack(count_state(progress.total, fields)));
  state.set("current", pack(count_state(progress.current, fields)));
  return state;
}

StateMap batch_state(const BatchProgress& progress) {
  StateMap state = progress_state(progress, kAllFields);
  state.set("is_last_batch", progress.is_last);
  return state;
}

StateMap optimizer_state(const FitProgress& fit) {
  StateMap optimizer;
  optimizer.set("step", pack(progress_state(fit.optimizer_step, kStepFields)));
  optimizer.set("zero_grad", pack(progress_state(fit.zero_grad, kStartFields)));
  StateMap state;
  state.set("optimizer", pack(std::move(optimizer)));
  return state;
}

// Also the parts that are always empty or zero here (schedulers, manual optimisation): Lightning looks them up.
StateMap fit_state(const FitProgress& fit) {
  StateMap epoch_loop;
  epoch_loop.set("_batches_that_stepped", fit.batches_that_stepped);
  StateMap state;
  state.set("state_dict", pack({}));
  state.set("epoch_loop.state_dict", pack(std::move(epoch_loop)));
  state.set("epoch_loop.batch_progress", pack(batch_state(fit.batch)));
  state.set("epoch_loop.scheduler_progress", pack(progress_state({}, kStepFields)));
  state.set("epoch_loop.automatic_optimization.state_dict", pack({}));
  state.set("epoch_loop.automatic_optimization.optim_progress", pack(optimizer_state(fit)));
  state.set("epoch_loop.manual_optimization.state_dict", pack({}));
  state.set("epoch_loop.manual_optimization.optim_step_progress", pack(progress_state({}, kStepFields)));
  state.set("epoch_loop.val_loop.state_dict", pack({}));
  state.set("epoch_loop.val_loop.batch_progress", pack(batch_state(fit.validation_batch)));
  state.set("epoch_progress", pack(progress_state(fit.epoch, kAllFields)));
  return state;
}

StateMap evaluation_state(StateMap batch_progress) {
  StateMap state;
  state.set("state_dict", pack({}));
  state.set("batch_progress", pack(std::move(batch_progress)));
  return state;
}

// Keys that are missing leave a count as it is: files of other versions have other sets.
void read(const StateMap* state, Count& count) {
  if (!state) return;
  for (const auto& [name, field] : kAllFields) {
    if (const auto number = find_number(*state, name)) count.*field = static_cast<int64_t>(*number);
  }
}

void read(const StateMap* state, Progress& progress) {
  if (!state) return;
  read(find_map(*state, "total"), progress.total);
  read(find_map(*state, "current"), progress.current);
}

void read(const StateMap* state, BatchProgress& progress) {
  if (!state) return;
  read(state, static_cast<Progress&>(progress));
  progress.is_last = find_flag(*state, "is_last_batch").value_or(false);
}

void read_evaluation(const StateMap& loops, const char* loop, BatchProgress& progress) {
  if (const StateMap* state = find_map(loops, loop)) read(find_map(*state, "batch_progress"), progress);
}

}  // namespace

StateMap to_state(const RunProgress& progress) {
  StateMap loops;
  loops.set("fit_loop", pack(fit_state(progress.fit)));
  loops.set("validate_loop", pack(evaluation_state(batch_state(progress.validate))));
  loops.set("test_loop", pack(evaluation_state(batch_state(progress.test))));
  loops.set("predict_loop", pack(evaluation_state(progress_state(progress.predict, kAllFields))));
  return loops;
}

Result<RunProgress> progress_from(const StateMap& loops) {
  RunProgress progress;
  // A file without loops (weights, or another tool's) begins at zero.
  if (loops.items.empty()) return progress;
  const StateMap* state = find_map(loops, "fit_loop");
  if (!state) return Status(Code::kData, "the checkpoint's loops lack 'fit_loop'");

  FitProgress& fit = progress.fit;
  read(find_map(*state, "epoch_progress"), fit.epoch);
  read(find_map(*state, "epoch_loop.batch_progress"), fit.batch);
  read(find_map(*state, "epoch_loop.val_loop.batch_progress"), fit.validation_batch);
  if (const StateMap* epoch_loop = find_map(*state, "epoch_loop.state_dict")) {
    fit.batches_that_stepped = static_cast<int64_t>(find_number(*epoch_loop, "_batches_that_stepped").value_or(0));
  }
  const StateMap* optimizers = find_map(*state, "epoch_loop.automatic_optimization.optim_progress");
  if (const StateMap* optimizer = optimizers ? find_map(*optimizers, "optimizer") : nullptr) {
    read(find_map(*optimizer, "step"), fit.optimizer_step);
    read(find_map(*optimizer, "zero_grad"), fit.zero_grad);
  }
  read_evaluation(loops, "validate_loop", progress.validate);
  read_evaluation(loops, "test_loop", progress.test);
  read_evaluation(loops, "predict_loop", progress.predict);
  return progress;
}

}  // namespace mortise::training
