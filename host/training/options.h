// What a run is asked to do, under Lightning's names, and the checks that need no data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "host/core/status.h"

namespace mortise::training {

// A limit or an interval: the type decides. 1 is one batch, 1.0 is all.
using Amount = std::variant<int64_t, double>;

enum class Accelerator { kAuto, kCpu, kCuda };
enum class Precision { k32True, k16Mixed, kBf16Mixed };

struct TrainerOptions {
  std::optional<int64_t> max_epochs;  // unset: 1000, or no limit if max_steps is given; -1: no limit
  std::optional<int64_t> min_epochs;
  int64_t max_steps = -1;
  std::optional<int64_t> min_steps;
  Amount limit_train_batches = 1.0;
  Amount limit_val_batches = 1.0;
  Amount limit_test_batches = 1.0;
  Amount limit_predict_batches = 1.0;
  Amount overfit_batches = 0.0;      // above 0: the limit of training and validation, whatever those say
  int64_t num_sanity_val_steps = 2;  // -1: all
  Amount val_check_interval = 1.0;
  std::optional<int64_t> check_val_every_n_epoch = 1;  // unset: val_check_interval counts across epochs
  int64_t fast_dev_run = 0;                            // batches; 0: off
  int64_t accumulate_grad_batches = 1;
  double gradient_clip_val = 0;                  // 0: off
  std::string gradient_clip_algorithm = "norm";  // "norm", "value"
  Accelerator accelerator = Accelerator::kAuto;
  Precision precision = Precision::k32True;
  uint64_t seed = 0;
};

// Applies fast_dev_run (it wins over all limits), overfit_batches and the defaults that depend on each other; takes
// whole fractions above 1 as integers; refuses what makes no sense: kUsage, naming the option. Afterwards max_epochs
// and min_epochs are set.
Result<TrainerOptions> resolve(TrainerOptions options);

// Batches of an epoch of `length` batches (-1: unknown) under a limit; -1: unlimited and unknown.
//   option  the limit's name, for the message
//   errors  kUsage: a fraction that gives no batch, naming the smallest usable one
Result<int64_t> limited(const Amount& limit, int64_t length, const std::string& option);

// Batches from one validation to the next in an epoch of `train_batches` (-1: unknown); 0: only after an epoch's last
// batch. Counted within an epoch, or across epochs if check_val_every_n_epoch is unset.
//   errors  kUsage: an integer above train_batches, a fraction of an unknown number
Result<int64_t> validation_interval(const TrainerOptions& options, int64_t train_batches);

}  // namespace mortise::training
