// validate, test and predict: a model from a file, one pass over data, no run folder of its own.
#include <ATen/core/Tensor.h>

#include "host/app/checkpoint_files.h"
#include "host/app/commands.h"
#include "host/app/progress.h"
#include "host/app/receipts.h"
#include "host/app/run_folder.h"
#include "host/core/files.h"
#include "host/training/task.h"

namespace mortise::app {
namespace {

// The file to evaluate; without --ckpt the newest run's best.
Result<std::string> wanted_checkpoint(const config::Values& values) {
  return resolve_checkpoint(values.has("ckpt") ? values.text("ckpt") : "best", values.text("default_root_dir"));
}

// One evaluation with the plugins of the list.
template <typename Run>
Status with_plugins(const Preparation& prepared, Output& output, Run run) {
  // Plugins that write do so below the root folder: an evaluation gets no version_N of its own.
  const std::filesystem::path here = std::filesystem::absolute(prepared.config.host.text("default_root_dir"));
  const bridge::Environment environment = prepared.environment(output, here);
  Result<std::unique_ptr<training::Model>> model = prepared.place.new_model();
  if (!model.ok()) return model.status();
  CheckpointFiles store(prepared.config.host);
  const std::unique_ptr<training::Trainer> trainer = make_trainer(prepared, output, &store);
  // Last of what can fail, so that plugins are not loaded for nothing. The set's destructor is what unloads them on
  // the way out of an error.
  Result<bridge::PluginSet> plugins = bridge::PluginSet::load(prepared.plugins, environment);
  if (!plugins.ok()) return plugins.status();
  training::Classifier task(**model);
  ProgressCallback progress(output.bar());
  plugins->attach(*trainer);
  trainer->add_callback(progress);
  const Status status = run(*trainer, task);
  // In reverse; the trainer must know no callback that is about to go.
  trainer->remove_callback(progress);
  plugins->detach();
  show_receipts(output, plugins->unload());
  return status;
}

// "index,prediction" a line: the class of the greatest output.
Status write_predictions(const std::string& path, const at::Tensor& outputs) {
  // Contiguous for certain, as the loop reads memory in order; predict's outputs are on the CPU already.
  const at::Tensor classes = outputs.argmax(1).contiguous();
  std::string text = "index,prediction\n";
  for (int64_t i = 0; i < classes.size(0); ++i)
    text += std::to_string(i) + "," + std::to_string(classes.data_ptr<int64_t>()[i]) + "\n";
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok()) return file.status();
  MORTISE_RETURN_IF_ERROR(file->write(text.data(), text.size()));
  return file->commit();
}

}  // namespace

Status evaluate(const Preparation& prepared, Output& output) {
  const Result<std::string> checkpoint = wanted_checkpoint(prepared.config.host);
  if (!checkpoint.ok()) return checkpoint.status();
  const bool test = prepared.config.command == "test";
  Result<std::unique_ptr<training::BatchSource>> data = test ? prepared.place.test() : prepared.place.val();
  if (!data.ok()) return data.status();
  // A null source is an answer, not an error, of the workplace: fit goes on without validation.
  if (!*data) return {Code::kUsage, "--val-size 0 leaves nothing to validate"};
  return with_plugins(prepared, output, [&](training::Trainer& trainer, training::Task& task) {
    MORTISE_RETURN_IF_ERROR(test ? trainer.test(task, **data, *checkpoint)
                                 : trainer.validate(task, **data, *checkpoint));
    Output::Rows rows;
    for (const std::string& name : trainer.metrics().names())
      if (const auto metric = trainer.metrics().get(name)) rows.emplace_back(name, metric->value);
    rows.emplace_back("checkpoint", *checkpoint);
    output.result(prepared.config.command, rows);
    return Status();
  });
}

Status predict(const Preparation& prepared, Output& output) {
  const Result<std::string> checkpoint = wanted_checkpoint(prepared.config.host);
  if (!checkpoint.ok()) return checkpoint.status();
  Result<std::unique_ptr<training::BatchSource>> data = prepared.place.test();
  if (!data.ok()) return data.status();
  const std::string path = prepared.config.host.has("output") ? prepared.config.host.text("output") : "predictions.csv";
  return with_plugins(prepared, output, [&](training::Trainer& trainer, training::Task& task) {
    const Result<at::Tensor> outputs = trainer.predict(task, **data, *checkpoint);
    if (!outputs.ok()) return outputs.status();
    if (outputs->numel() == 0)
      return Status(Code::kUsage, "there is nothing to predict: --limit-predict-batches leaves no batch");
    MORTISE_RETURN_IF_ERROR(write_predictions(path, *outputs));
    output.result("predict", {{"predictions", outputs->size(0)}, {"file", path}, {"checkpoint", *checkpoint}});
    return Status();
  });
}

}  // namespace mortise::app
