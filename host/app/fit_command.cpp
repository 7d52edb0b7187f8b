// fit: a run folder, the plugins, the training, and afterwards receipts and the record of checkpoints.
#include "host/app/checkpoint_files.h"
#include "host/app/commands.h"
#include "host/app/progress.h"
#include "host/app/receipts.h"
#include "host/app/run_folder.h"
#include "host/core/files.h"
#include "host/core/text.h"
#include "host/training/task.h"

namespace mortise::app {
namespace {

// In the form that --config reads back, so that a run can be repeated from its folder.
Status write_configuration(const std::filesystem::path& folder, const config::RunConfig& config) {
  const std::string text = config::print_config(config);
  Result<AtomicFile> file = AtomicFile::create(folder / "config.ini");
  if (!file.ok()) return file.status();
  MORTISE_RETURN_IF_ERROR(file->write(text.data(), text.size()));
  return file->commit();
}

// What a run leaves for the result: filled as it goes, also by a run that fails.
struct Fitted {
  CheckpointRecord record;
  Output::Rows rows;
};

// The run itself, between the loading and the unloading of plugins.
Status train(const Preparation& prepared, training::Model& model, bridge::PluginSet& plugins,
             training::Trainer& trainer, Output& output, Fitted& fitted) {
  Result<std::unique_ptr<training::BatchSource>> train = prepared.place.train();
  if (!train.ok()) return train.status();
  Result<std::unique_ptr<training::BatchSource>> val = prepared.place.val();
  if (!val.ok()) return val.status();
  training::Classifier task(model);
  ProgressCallback progress(output.bar());
  // Attached and detached here, so that no return of the trainer's, good or bad, leaves a plugin in its list.
  plugins.attach(trainer);
  trainer.add_callback(progress);
  const std::string resume = prepared.config.host.has("ckpt_path") ? prepared.config.host.text("ckpt_path") : "";
  const int64_t begin_ns = output.clock().now_ns();
  const Status status = trainer.fit(task, prepared.optimizer, **train, val->get(), resume);
  const double seconds = static_cast<double>(output.clock().now_ns() - begin_ns) * 1e-9;
  trainer.remove_callback(progress);
  plugins.detach();
  for (const std::string& name : trainer.metrics().names())
    if (const auto metric = trainer.metrics().get(name)) fitted.rows.emplace_back(name, metric->value);
  fitted.rows.emplace_back("epochs", trainer.current_epoch());
  fitted.rows.emplace_back("global_step", trainer.global_step());
  fitted.rows.emplace_back("seconds", seconds);
  return status;
}

}  // namespace

Status fit(const Preparation& prepared, Output& output) {
  const Result<std::filesystem::path> folder = make_run_folder(prepared.config.host.text("default_root_dir"));
  if (!folder.ok()) return folder.status();
  // Before the first step: the folder of a run that died says what it was.
  MORTISE_RETURN_IF_ERROR(write_configuration(*folder, prepared.config));
  output.log().info("run folder: " + folder->string());

  Fitted fitted;
  bridge::Environment environment = prepared.environment(output, *folder);
  // Called from events of plugins, on this thread; the last word counts.
  environment.announce = [&](const std::string& best, const std::string& last) { fitted.record = {best, last}; };
  Result<std::unique_ptr<training::Model>> model = prepared.place.new_model();
  if (!model.ok()) return model.status();
  CheckpointFiles store(prepared.config.host);
  const std::unique_ptr<training::Trainer> trainer = make_trainer(prepared, output, &store);
  Result<bridge::PluginSet> plugins = bridge::PluginSet::load(prepared.plugins, environment);
  if (!plugins.ok()) return plugins.status();

  const Status trained = train(prepared, **model, *plugins, *trainer, output, fitted);
  // Unloaded before anything is reported, whatever became of the training, for a failed run is judged as well.
  const std::vector<ledger::Receipt> receipts = plugins->unload();
  if (trained.code() == Code::kUsage) {
    // Refused before the first step, by what only the data or the checkpoint shows: nothing is left behind.
    std::error_code ignored;
    std::filesystem::remove_all(*folder, ignored);
    return trained;
  }
  Status written = append_receipts(*folder, receipts);
  // Also after a failure: what was saved until then can be tested and resumed.
  if (written.ok() && (!fitted.record.best.empty() || !fitted.record.last.empty()))
    written = write_record(*folder, fitted.record);
  // The result goes before the receipts: on a terminal the numbers are what is looked for, the receipts are an
  // addition.
  if (trained.ok()) {
    if (!fitted.record.best.empty()) fitted.rows.emplace_back("best checkpoint", fitted.record.best);
    output.result("fit", fitted.rows);
  }
  show_receipts(output, receipts);
  // The run's own failure says more than one of writing it down.
  return trained.ok() ? written : trained;
}

}  // namespace mortise::app
