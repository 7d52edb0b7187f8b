// Steps per second of LeNet on Fashion-MNIST: plain libtorch, the trainer, the trainer with plugins; in turn, so that a
// machine whose speed drifts is fair to all. Prints medians and ratios.
//   train_bench [cpu|cuda]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "host/app/accelerator.h"
#include "host/app/batch_source.h"
#include "host/bridge/plugin_set.h"
#include "host/data/data_set.h"
#include "host/models/build_model.h"
#include "host/training/trainer.h"
#include "tests/bench/plain_loop.h"
#include "tests/support/plugin_request.h"

namespace mortise {
namespace {

constexpr int64_t kBatchSize = 64, kSteps = 300, kRounds = 9;
constexpr double kLr = 0.05, kMomentum = 0.9;

struct Quiet : Log {
  void write(Level, const std::string&) override {}
};

// REQUIRES: ok; a benchmark has nobody to report to.
template <typename T>
T expect(Result<T> result) {
  if (result.ok()) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.status().message().c_str());
  std::exit(1);
}

double trainer_seconds(const data::DataSets& sets, const std::vector<bridge::PluginRequest>& plugins, bool cuda) {
  Quiet log;
  SteadyClock clock;
  bridge::Environment environment{log, clock, "."};
  bridge::PluginSet loaded = expect(bridge::PluginSet::load(plugins, environment));
  models::BuiltModel built = expect(models::build_model("lenet", {1, 28, 28}, 10));
  training::Model model(built.network, built.forward);
  training::Classifier task(model);
  data::LoaderOptions options;
  options.batch_size = kBatchSize;
  options.shuffle = true;
  app::LoaderSource source(expect(data::BatchLoader::create(sets.train, sets.normalisation, options)));
  training::TrainerOptions run;
  run.max_epochs = 1;
  run.limit_train_batches = int64_t{kSteps};
  run.num_sanity_val_steps = 0;
  run.accelerator = cuda ? training::Accelerator::kCuda : training::Accelerator::kCpu;
  training::Trainer trainer(expect(training::resolve(run)), {log, clock});
  loaded.attach(trainer);
  training::OptimizerOptions optimizer;
  optimizer.lr = kLr;
  optimizer.momentum = kMomentum;
  const int64_t begin_ns = clock.now_ns();
  const Status fitted = trainer.fit(task, optimizer, source, nullptr);
  trainer.metrics().get("train_loss");  // waits for the device
  const double seconds = static_cast<double>(clock.now_ns() - begin_ns) * 1e-9;
  loaded.detach();
  if (!fitted.ok()) std::fprintf(stderr, "%s\n", fitted.message().c_str()), std::exit(1);
  return seconds;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Variant {
  const char* name;
  std::vector<double> seconds = {};
  std::vector<double> ratios = {};  // of its speed to the first one's, round by round
};

int run(bool cuda) {
  Quiet log;
  if (cuda) expect(app::open_accelerator("cuda", log));
  const data::DataSets sets = expect(data::open_dataset("fashion-mnist"));
  const std::vector<bridge::PluginRequest> plugins = {
      support::request("pruning", {{"pruning_fn", std::string("l1_unstructured")}, {"apply_pruning", false}}),
      support::request("checkpoint", {{"save_top_k", int64_t{0}}}),
      support::request("early_stopping", {{"monitor", std::string("train_loss")}})};
  Variant variants[] = {{"plain libtorch"}, {"mortise"}, {"mortise, idle plugins"}};
  std::vector<double> cost;                             // of the plugins, round by round
  for (int64_t round = -1; round < kRounds; ++round) {  // the first is a warm-up
    const double seconds[] = {bench::plain_libtorch_seconds(sets.train.images, sets.train.labels, kBatchSize, kSteps,
                                                            kLr, kMomentum, cuda ? at::kCUDA : at::kCPU),
                              trainer_seconds(sets, {}, cuda), trainer_seconds(sets, plugins, cuda)};
    if (round < 0) continue;
    for (int i = 0; i < 3; ++i) {
      variants[i].seconds.push_back(seconds[i]);
      variants[i].ratios.push_back(seconds[0] / seconds[i]);
    }
    cost.push_back(seconds[2] / seconds[1] - 1);
  }
  std::printf("LeNet, Fashion-MNIST, batch %ld, %s, medians of %ld rounds\n", long{kBatchSize}, cuda ? "cuda" : "cpu",
              long{kRounds});
  for (const Variant& variant : variants)
    std::printf("%-24s %8.1f steps/s  %5.3f x\n", variant.name, kSteps / median(variant.seconds),
                median(variant.ratios));
  std::printf("idle plugins cost %+.1f %%\n", 100 * median(cost));
  return 0;
}

}  // namespace
}  // namespace mortise

int main(int argc, char** argv) { return mortise::run(argc > 1 && std::strcmp(argv[1], "cuda") == 0); }
