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

// Applies fast_dev_run, the defaults that depend on each other, and refuses what makes no sense: kUsage, naming the
// option.
Result<TrainerOptions> resolve(TrainerOptions options);

// Batches of an epoch of `length` batches (-1: unknown) under a limit; -1: unlimited and unknown.
//   option  the limit's name, for the message
//   errors  kUsage: a fraction that gives no batch, naming the smallest usable one
Result<int64_t> limited(const Amount& limit, int64_t length, const std::string& option);

}  // namespace mortise::training
