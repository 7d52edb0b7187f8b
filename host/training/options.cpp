// Lightning's rules for its trainer flags: which values are allowed, what they mean together, and how shares of an
// epoch become numbers of batches.
#include "host/training/options.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace mortise::training {
namespace {

Status refuse(const std::string& option, const std::string& given, const std::string& allowed) {
  return {Code::kUsage, option + " is " + given + "; allowed: " + allowed};
}

// 17 digits, so that a message shows the number that was compared.
std::string text(double value) {
  std::ostringstream out;
  out.precision(17);
  out << value;
  return out.str();
}

std::string text(const Amount& amount) {
  const int64_t* whole = std::get_if<int64_t>(&amount);
  return whole ? std::to_string(*whole) : text(std::get<double>(amount));
}

// A whole fraction above 1 means that many batches.
void take_whole_fraction(Amount& amount) {
  const double* fraction = std::get_if<double>(&amount);
  if (fraction && *fraction > 1 && *fraction == std::floor(*fraction) && *fraction < 9e18) {
    amount = static_cast<int64_t>(*fraction);
  }
}

Status check_amount(Amount& amount, const std::string& option) {
  take_whole_fraction(amount);
  const int64_t* whole = std::get_if<int64_t>(&amount);
  const bool good = whole ? *whole >= 0 : std::get<double>(amount) >= 0 && std::get<double>(amount) <= 1;
  if (good) return {};
  return refuse(option, text(amount), "a number of batches from 0, or a fraction from 0.0 to 1.0");
}

Status check_at_least(int64_t value, int64_t least, const std::string& option, const std::string& meaning) {
  if (value >= least) return {};
  return refuse(option, std::to_string(value), meaning + " from " + std::to_string(least));
}

Status check_limits(TrainerOptions& options) {
  MORTISE_RETURN_IF_ERROR(check_amount(options.limit_train_batches, "limit_train_batches"));
  MORTISE_RETURN_IF_ERROR(check_amount(options.limit_val_batches, "limit_val_batches"));
  MORTISE_RETURN_IF_ERROR(check_amount(options.limit_test_batches, "limit_test_batches"));
  MORTISE_RETURN_IF_ERROR(check_amount(options.limit_predict_batches, "limit_predict_batches"));
  return check_amount(options.overfit_batches, "overfit_batches");
}

Status check_length(const TrainerOptions& options) {
  const std::string unlimited = "-1 (no limit) or a number";
  if (options.max_epochs && *options.max_epochs < -1) {
    return refuse("max_epochs", std::to_string(*options.max_epochs), unlimited + " of epochs from 0");
  }
  if (options.max_steps < -1) return refuse("max_steps", std::to_string(options.max_steps), unlimited + " from 0");
  MORTISE_RETURN_IF_ERROR(check_at_least(options.min_epochs.value_or(0), 0, "min_epochs", "a number"));
  MORTISE_RETURN_IF_ERROR(check_at_least(options.min_steps.value_or(0), 0, "min_steps", "a number"));
  MORTISE_RETURN_IF_ERROR(check_at_least(options.accumulate_grad_batches, 1, "accumulate_grad_batches", "a number"));
  return check_at_least(options.num_sanity_val_steps, -1, "num_sanity_val_steps", "a number");
}

Status check_validation(TrainerOptions& options) {
  const std::string across =
      "a whole number of batches, since check_val_every_n_epoch is unset and counts across epochs";
  Amount& interval = options.val_check_interval;
  if (!options.check_val_every_n_epoch && std::holds_alternative<double>(interval)) {
    return refuse("val_check_interval", text(interval), across);
  }
  take_whole_fraction(interval);
  const int64_t* whole = std::get_if<int64_t>(&interval);
  const bool good = whole ? *whole >= 1 : std::get<double>(interval) > 0 && std::get<double>(interval) <= 1;
  if (!good) {
    return refuse("val_check_interval", text(interval),
                  "a number of batches from 1, or a fraction above 0.0 up to 1.0 (no validation: limit_val_batches 0)");
  }
  return check_at_least(options.check_val_every_n_epoch.value_or(1), 1, "check_val_every_n_epoch",
                        "a number of epochs");
}

Status check_clipping(const TrainerOptions& options) {
  const std::string& algorithm = options.gradient_clip_algorithm;
  if (algorithm != "norm" && algorithm != "value") {
    return refuse("gradient_clip_algorithm", "'" + algorithm + "'", "norm, value");
  }
  if (std::isnan(options.gradient_clip_val)) return refuse("gradient_clip_val", "nan", "a number; 0 is off");
  return {};
}

// Lightning's list: everything is cut to so many batches and one epoch, and validation takes place.
void apply_fast_dev_run(TrainerOptions& options) {
  const int64_t batches = options.fast_dev_run;
  options.limit_train_batches = options.limit_val_batches = batches;
  options.limit_test_batches = options.limit_predict_batches = batches;
  options.overfit_batches = 0.0;
  options.max_steps = batches;
  options.max_epochs = 1;
  options.num_sanity_val_steps = 0;
  options.val_check_interval = 1.0;
  options.check_val_every_n_epoch = 1;
}

bool positive(const Amount& amount) {
  return std::visit([](auto value) { return value > 0; }, amount);
}

}  // namespace

Result<TrainerOptions> resolve(TrainerOptions options) {
  MORTISE_RETURN_IF_ERROR(check_at_least(options.fast_dev_run, 0, "fast_dev_run", "a number of batches"));
  if (options.fast_dev_run > 0) apply_fast_dev_run(options);
  MORTISE_RETURN_IF_ERROR(check_limits(options));
  MORTISE_RETURN_IF_ERROR(check_length(options));
  MORTISE_RETURN_IF_ERROR(check_validation(options));
  MORTISE_RETURN_IF_ERROR(check_clipping(options));

  if (positive(options.overfit_batches)) {
    // Both loaders: overfitting is looked at on the same batches.
    options.limit_train_batches = options.limit_val_batches = options.overfit_batches;
  }
  // Lightning's default of 1000 epochs holds only where no other end is given.
  if (!options.max_epochs) options.max_epochs = options.max_steps == -1 ? 1000 : -1;
  if (!options.min_epochs) options.min_epochs = options.min_steps ? 1 : 0;
  return options;
}

// A length of -1 is unknown: then only "all" and "none" can be said as a share.
Result<int64_t> limited(const Amount& limit, int64_t length, const std::string& option) {
  if (const int64_t* whole = std::get_if<int64_t>(&limit)) return length < 0 ? *whole : std::min(*whole, length);
  const double fraction = std::get<double>(limit);
  if (length < 0) {
    if (fraction == 1.0) return int64_t{-1};
    if (fraction == 0.0) return int64_t{0};
    return refuse(option, text(fraction), "1.0 or a number of batches, since the number of batches is unknown");
  }
  const auto batches = static_cast<int64_t>(std::floor(static_cast<double>(length) * fraction));
  // A share that comes to nothing is most likely a mistake; 0.0 says it on purpose.
  if (batches == 0 && fraction > 0 && length > 0) {
    return refuse(option, text(fraction) + ", which is not one batch of " + std::to_string(length),
                  "0.0, or from " + text(1.0 / static_cast<double>(length)));
  }
  return batches;
}

Result<int64_t> validation_interval(const TrainerOptions& options, int64_t train_batches) {
  const Amount& interval = options.val_check_interval;
  if (const int64_t* whole = std::get_if<int64_t>(&interval)) {
    if (options.check_val_every_n_epoch && train_batches >= 0 && *whole > train_batches) {
      return refuse("val_check_interval", std::to_string(*whole),
                    "at most the " + std::to_string(train_batches) +
                        " batches of an epoch, unless check_val_every_n_epoch is unset");
    }
    return *whole;
  }
  const double fraction = std::get<double>(interval);
  // The end of the epoch, which needs no count.
  if (fraction == 1.0) return int64_t{0};
  if (train_batches < 0) {
    return refuse("val_check_interval", text(fraction),
                  "1.0 or a number of batches, since the number of batches is unknown");
  }
  return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(train_batches) * fraction));
}

}  // namespace mortise::training
