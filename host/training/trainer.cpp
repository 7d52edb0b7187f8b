// The public face: each function works out its plan, refuses what does not fit, and gives Run the body.
#include "host/training/trainer.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <utility>

#include "host/training/checkpointing.h"
#include "host/training/evaluation_loop.h"
#include "host/training/fit_loop.h"
#include "host/training/run.h"

namespace mortise::training {
namespace {

// A function that evaluates: weights, places, one pass.
Status run_evaluation(Run& run, Stage stage, Task& task, BatchSource& data, const std::string& ckpt_path,
                      int64_t batches, const std::function<Status()>& pass) {
  // Weights to be tested are not resumed from.
  run.resumed_from.clear();
  run.val_batches = stage == Stage::kValidate ? batches : 0;
  run.train_batches = 0;
  return run.execute(stage, task, [&]() -> Status {
    MORTISE_RETURN_IF_ERROR(load_weights(run, ckpt_path));
    MORTISE_RETURN_IF_ERROR(task.model().to(run.device));
    MORTISE_RETURN_IF_ERROR(data.to(run.device));
    return pass();
  });
}

}  // namespace

Trainer::Trainer(TrainerOptions options, TrainerServices services)
    : run_(std::make_unique<Run>(*this, std::move(options), services)) {}
Trainer::~Trainer() = default;

void Trainer::add_callback(Callback& callback) { run_->callbacks.add(callback); }
void Trainer::remove_callback(Callback& callback) { run_->callbacks.remove(callback); }
void Trainer::drop_callback(Callback& callback, std::function<void()> gone) {
  run_->callbacks.drop(callback, std::move(gone));
}

Status Trainer::fit(Task& task, const OptimizerOptions& optimizer, BatchSource& training, BatchSource* validation,
                    const std::string& ckpt_path) {
  Run& run = *run_;
  MORTISE_RETURN_IF_ERROR(check(optimizer));
  const Result<FitPlan> plan = plan_fit(run.options, training, validation);
  MORTISE_RETURN_IF_ERROR(plan.status());
  run.train_batches = plan->train_batches;
  run.val_batches = plan->val_batches;
  run.validations = 0;
  run.should_stop = false;
  run.resumed_from.clear();

  return run.execute(Stage::kTrain, task, [&]() -> Status {
    // After setup, when callbacks exist to take their states; the optimiser is made once the parameters are on the
    // device.
    MORTISE_RETURN_IF_ERROR(prepare_fit(run, optimizer, ckpt_path));
    MORTISE_RETURN_IF_ERROR(training.to(run.device));
    if (validation) MORTISE_RETURN_IF_ERROR(validation->to(run.device));
    MORTISE_RETURN_IF_ERROR(run.tell(Event::kFitStart));
    MORTISE_RETURN_IF_ERROR(FitLoop(run, *plan, training, validation).run());
    return run.tell(Event::kFitEnd);
  });
}

Status Trainer::validate(Task& task, BatchSource& data, const std::string& ckpt_path) {
  Run& run = *run_;
  const Result<int64_t> batches = limited(run.options.limit_val_batches, data.batches(), "limit_val_batches");
  MORTISE_RETURN_IF_ERROR(batches.status());
  return run_evaluation(run, Stage::kValidate, task, data, ckpt_path, *batches, [&] {
    return training::validate(run, Stage::kValidate, data, *batches, &run.progress.validate);
  });
}

Status Trainer::test(Task& task, BatchSource& data, const std::string& ckpt_path) {
  Run& run = *run_;
  const Result<int64_t> batches = limited(run.options.limit_test_batches, data.batches(), "limit_test_batches");
  MORTISE_RETURN_IF_ERROR(batches.status());
  return run_evaluation(run, Stage::kTest, task, data, ckpt_path, *batches, [&] {
    return evaluate(run, Stage::kTest, data, *batches, &run.progress.test,
                    [&](const Batch& batch, int64_t index) { task.test_step(batch, index, run.metrics); });
  });
}

Result<at::Tensor> Trainer::predict(Task& task, BatchSource& data, const std::string& ckpt_path) {
  Run& run = *run_;
  const Result<int64_t> batches = limited(run.options.limit_predict_batches, data.batches(), "limit_predict_batches");
  MORTISE_RETURN_IF_ERROR(batches.status());
  std::vector<at::Tensor> parts;
  at::Tensor outputs = at::empty({0});
  const Status status = run_evaluation(run, Stage::kPredict, task, data, ckpt_path, *batches, [&]() -> Status {
    const auto step = [&](const Batch& batch, int64_t index) {
      // To the CPU at once: the outputs of a whole data set need not fit on the GPU.
      parts.push_back(task.predict_step(batch, index).detach().to(at::kCPU));
    };
    MORTISE_RETURN_IF_ERROR(evaluate(run, Stage::kPredict, data, *batches, &run.progress.predict, step));
    if (!parts.empty()) outputs = at::cat(parts);
    return {};
  });
  MORTISE_RETURN_IF_ERROR(status);
  return outputs;
}

void Trainer::set_max_epochs(int64_t max_epochs) { run_->options.max_epochs = max_epochs; }

Status Trainer::save_checkpoint(const std::string& path, bool weights_only) {
  return save_state(*run_, path, weights_only);
}

void Trainer::request_stop(const std::string& who, const std::string& reason) {
  // The first who asks is named; more of the same would fill the log.
  if (!run_->should_stop) run_->services.log.info("'" + who + "' asks to stop: " + reason);
  run_->should_stop = true;
}

bool Trainer::should_stop() const { return run_->should_stop; }
Metrics& Trainer::metrics() { return run_->metrics; }
const TrainerOptions& Trainer::options() const { return run_->options; }
const std::string& Trainer::resumed_from() const { return run_->resumed_from; }
Model* Trainer::model() { return run_->task ? &run_->task->model() : nullptr; }
at::Device Trainer::device() const { return run_->device; }
int64_t Trainer::current_epoch() const { return run_->current_epoch(); }
int64_t Trainer::global_step() const { return run_->global_step(); }
int64_t Trainer::validations() const { return run_->validations; }
int64_t Trainer::train_batches() const { return run_->train_batches; }
int64_t Trainer::val_batches() const { return run_->val_batches; }

}  // namespace mortise::training
