// soak: the same cycle again and again in one process, a sample of the process after each, and a verdict over all.
#include <optional>

#include "host/app/checkpoint_files.h"
#include "host/app/commands.h"
#include "host/app/receipts.h"
#include "host/app/run_folder.h"
#include "host/app/signals.h"
#include "host/ledger/judge.h"
#include "host/ledger/process_sample.h"
#include "host/loader/library.h"
#include "host/report/soak_table.h"
#include "host/training/task.h"

namespace mortise::app {
namespace {

// What a cycle leaves for its row; its tensors are gone by then.
struct Cycle {
  std::vector<ledger::Receipt> receipts;
  std::optional<double> score;
};

// Fit, test with the best checkpoint, test again.
Status run(const Preparation& prepared, training::Trainer& trainer, training::Model& model, const std::string& best,
           Cycle& cycle) {
  Result<std::unique_ptr<training::BatchSource>> train = prepared.place.train();
  if (!train.ok()) return train.status();
  Result<std::unique_ptr<training::BatchSource>> val = prepared.place.val();
  if (!val.ok()) return val.status();
  Result<std::unique_ptr<training::BatchSource>> test = prepared.place.test();
  if (!test.ok()) return test.status();
  // Data sources are made anew each time: they, too, must be gone when the sample is taken.
  training::Classifier task(model);
  MORTISE_RETURN_IF_ERROR(trainer.fit(task, prepared.optimizer, **train, val->get()));
  // `best` is a reference to what the checkpoint plugin announced during fit. Empty, without such a plugin: the
  // weights as they are.
  MORTISE_RETURN_IF_ERROR(trainer.test(task, **test, best));
  // The score of the best checkpoint; the second test only exercises the path without a file.
  if (const auto score = trainer.metrics().get("test_acc")) cycle.score = score->value;
  return trainer.test(task, **test);
}

// Everything that a cycle makes is gone when this returns.
//   kept  the model of all cycles; null: a new one
Status run_cycle(const Preparation& prepared, Output& output, const std::filesystem::path& folder,
                 training::Model* kept, Cycle& cycle) {
  CheckpointRecord record;
  bridge::Environment environment = prepared.environment(output, folder);
  environment.announce = [&](const std::string& best, const std::string& last) { record = {best, last}; };
  std::unique_ptr<training::Model> fresh;
  if (!kept) {
    Result<std::unique_ptr<training::Model>> made = prepared.place.new_model();
    if (!made.ok()) return made.status();
    fresh = std::move(*made);
  }
  // The order of these locals is the order of destruction in reverse: plugins go before the trainer, it before the
  // store.
  CheckpointFiles store(prepared.config.host);
  const std::unique_ptr<training::Trainer> trainer = make_trainer(prepared, output, &store);
  Result<bridge::PluginSet> plugins = bridge::PluginSet::load(prepared.plugins, environment);
  if (!plugins.ok()) return plugins.status();
  plugins->attach(*trainer);
  const Status status = run(prepared, *trainer, kept ? *kept : *fresh, record.best, cycle);
  plugins->detach();
  // Also after a failure: the receipts of a cycle that failed are worth most.
  cycle.receipts = plugins->unload();
  return status;
}

report::SoakRow to_row(int64_t number, double seconds, const Cycle& cycle, const ledger::ProcessSample& sample) {
  report::SoakRow row;
  row.cycle = number;
  row.seconds = seconds;
  row.score = cycle.score;
  row.cpu_tensors = sample.cpu.allocations;
  row.cpu_bytes = sample.cpu.bytes;
  row.gpu_tensors = sample.gpu.allocations;
  row.gpu_bytes = sample.gpu.allocated_bytes;
  row.gpu_used_bytes = sample.gpu.used_bytes;
  row.heap_bytes = sample.heap_bytes;
  row.rss_bytes = sample.rss_bytes;
  row.threads = sample.threads;
  row.descriptors = sample.descriptors;
  row.mappings = sample.plugin_mappings;
  row.verdict = ledger::verdict_name(worst(cycle.receipts));
  return row;
}

nlohmann::ordered_json to_json(const report::SoakRow& row) {
  nlohmann::ordered_json score = row.score ? nlohmann::ordered_json(*row.score) : nlohmann::ordered_json();
  return {{"cycle", row.cycle},
          {"seconds", row.seconds},
          {"test_acc", score},
          {"cpu_tensors", row.cpu_tensors},
          {"cpu_bytes", row.cpu_bytes},
          {"gpu_tensors", row.gpu_tensors},
          {"gpu_bytes", row.gpu_bytes},
          {"gpu_used_bytes", row.gpu_used_bytes},
          {"heap_bytes", row.heap_bytes},
          {"rss_bytes", row.rss_bytes},
          {"threads", row.threads},
          {"descriptors", row.descriptors},
          {"plugin_mappings", row.mappings},
          {"verdict", row.verdict}};
}

class Soak {
 public:
  Soak(const Preparation& prepared, Output& output, std::filesystem::path folder)
      : prepared_(prepared),
        output_(output),
        folder_(std::move(folder)),
        table_(std::cout, prepared.accelerator != nullptr, output.colour()) {}

  // With --fresh-model false one model serves all cycles, and a mask or hook that a plugin leaves on it shows in the
  // next cycle.
  Status run_all() {
    std::unique_ptr<training::Model> kept;
    if (!prepared_.config.host.flag("fresh_model")) {
      Result<std::unique_ptr<training::Model>> made = prepared_.place.new_model();
      if (!made.ok()) return made.status();
      kept = std::move(*made);
    }
    const int64_t cycles = prepared_.config.host.integer("cycles");
    for (int64_t number = 1; number <= cycles; ++number) {
      MORTISE_RETURN_IF_ERROR(run_one(number, kept.get()).within("cycle " + std::to_string(number)));
      // Asked between cycles as well: an interrupt may come while nothing trains.
      if (interrupted()) return {Code::kInterrupted, "interrupted after cycle " + std::to_string(number)};
    }
    return {};
  }

  // Shows the judgement; true if something was left behind.
  bool judge() {
    ledger::JudgeOptions options;
    // No more than there are: otherwise a short soak would compare with a cycle that never was.
    options.warm_up_cycles = prepared_.config.host.integer("warm_up");
    std::vector<report::JudgementRow> rows;
    // What the host released by force left nothing behind; the author is told by the receipts, the exit status stays
    // 0.
    bool passed = worst_ <= ledger::Verdict::kForced;
    for (const ledger::Finding& finding : ledger::judge_cycles(samples_, options)) {
      rows.push_back({finding.quantity, finding.rule, finding.passed, finding.detail});
      passed = passed && finding.passed;
    }
    if (!output_.json()) {
      table_.judge(rows);
      return !passed;
    }
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    for (const report::JudgementRow& row : rows)
      findings.push_back(
          {{"quantity", row.quantity}, {"rule", row.rule}, {"passed", row.passed}, {"detail", row.detail}});
    output_.object(
        {{"result", "soak"}, {"passed", passed}, {"summary", table_.sentence(rows)}, {"findings", findings}});
    return !passed;
  }

 private:
  Status run_one(int64_t number, training::Model* kept) {
    const std::filesystem::path folder = folder_ / ("cycle_" + std::to_string(number));
    Cycle cycle;
    const int64_t begin_ns = output_.clock().now_ns();
    const Status status = run_cycle(prepared_, output_, folder, kept, cycle);
    const double seconds = static_cast<double>(output_.clock().now_ns() - begin_ns) * 1e-9;
    // After run_cycle has returned: only then has everything of the cycle been destroyed.
    samples_.push_back(ledger::sample_process(prepared_.accelerator, loader::Library::private_folder().c_str()));
    worst_ = std::max(worst_, worst(cycle.receipts));
    MORTISE_RETURN_IF_ERROR(append_receipts(folder_, cycle.receipts));
    show(to_row(number, seconds, cycle, samples_.back()), cycle.receipts);
    // One cycle's checkpoints are as good as another's: the last cycle's stay.
    std::error_code ignored;
    if (status.ok() && number > 1)
      std::filesystem::remove_all(folder_ / ("cycle_" + std::to_string(number - 1)), ignored);
    return status;
  }

  void show(const report::SoakRow& row, const std::vector<ledger::Receipt>& receipts) {
    if (output_.json()) {
      output_.object(to_json(row));
    } else {
      table_.add(row);
    }
    if (output_.json() || worth_showing(receipts)) show_receipts(output_, receipts);
  }

  const Preparation& prepared_;
  Output& output_;
  const std::filesystem::path folder_;
  report::SoakTable table_;
  std::vector<ledger::ProcessSample> samples_;
  ledger::Verdict worst_ = ledger::Verdict::kClean;
};

}  // namespace

// A soak that fails or is interrupted gets no judgement, since its last cycle is not whole.
Status soak(const Preparation& prepared, Output& output, bool* left_behind) {
  const int64_t cycles = prepared.config.host.integer("cycles"), warm_up = prepared.config.host.integer("warm_up");
  // "Nothing was left behind" must not be said where nothing was compared.
  if (cycles <= warm_up)
    return {Code::kUsage, "--cycles " + std::to_string(cycles) + " with --warm-up " + std::to_string(warm_up) +
                              " leaves no cycle to judge: at least " + std::to_string(warm_up + 1) + " are needed"};
  const Result<std::filesystem::path> folder = make_run_folder(prepared.config.host.text("default_root_dir"));
  if (!folder.ok()) return folder.status();
  output.log().info("run folder: " + folder->string());
  Soak run(prepared, output, *folder);
  const Status status = run.run_all();
  if (status.ok()) *left_behind = run.judge();
  return status;
}

}  // namespace mortise::app
