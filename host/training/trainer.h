// The training loop: fit, validate, test, predict, with Lightning's hook order, counts and limits.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/core/clock.h"
#include "host/core/log.h"
#include "host/core/status.h"
#include "host/training/batch.h"
#include "host/training/callback.h"
#include "host/training/metrics.h"
#include "host/training/optimizer.h"
#include "host/training/options.h"
#include "host/training/run_state.h"
#include "host/training/task.h"

namespace mortise::training {

struct Run;

// Where checkpoints are written and read; the application brings one.
class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;
  // Whole and durable, or not at all.
  virtual Status save(const std::string& path, const RunState& state) = 0;
  virtual Result<RunState> load(const std::string& path) = 0;
};

// What the trainer works with. All outlive it.
struct TrainerServices {
  Log& log;
  const Clock& clock;
  CheckpointStore* checkpoints = nullptr;          // null: saving is refused
  const std::atomic<bool>* interrupted = nullptr;  // set by a signal handler: end after this batch
};

// One run after another. Everything on the thread that calls it.
class Trainer {
 public:
  // options  resolved (options.h)
  Trainer(TrainerOptions options, TrainerServices services);
  ~Trainer();

  // Order: priority, then the order of adding; checkpointing ones last. The callback outlives its stay here.
  void add_callback(Callback& callback);
  void remove_callback(Callback& callback);
  // The same in the middle of a run: it is told nothing any more, and `gone` is called when no event is running. It may
  // destroy the callback. Any thread.
  void drop_callback(Callback& callback, std::function<void()> gone);

  // Trains. Counters go on from an earlier fit of this trainer. On failure on_exception and teardown have been called,
  // unless the options do not fit the data (kUsage): then no callback was called at all.
  //   validation  may be null
  //   ckpt_path   resume from; empty: begin anew
  Status fit(Task& task, const OptimizerOptions& optimizer, BatchSource& training, BatchSource* validation,
             const std::string& ckpt_path = "");
  // One evaluation; the values are in metrics() afterwards. ckpt_path: weights to load first; empty: as they are.
  Status validate(Task& task, BatchSource& data, const std::string& ckpt_path = "");
  Status test(Task& task, BatchSource& data, const std::string& ckpt_path = "");
  // Outputs, [samples, ...] on the CPU, in the order of the data.
  Result<at::Tensor> predict(Task& task, BatchSource& data, const std::string& ckpt_path = "");

  // For a further fit: -1 is no limit.
  void set_max_epochs(int64_t max_epochs);

  // For callbacks, inside an event.
  Status save_checkpoint(const std::string& path, bool weights_only);
  void request_stop(const std::string& who, const std::string& reason);
  bool should_stop() const;

  Metrics& metrics();
  const TrainerOptions& options() const;
  const std::string& resumed_from() const;
  // The model of the run in progress; null outside a run.
  Model* model();
  at::Device device() const;  // of the run, decided at its start
  int64_t current_epoch() const;
  int64_t global_step() const;
  int64_t validations() const;    // of this fit, without the sanity check
  int64_t train_batches() const;  // of an epoch, after limits; -1: unknown
  int64_t val_batches() const;

 private:
  std::unique_ptr<Run> run_;
};

}  // namespace mortise::training
