// Reads trainer options as the reference vectors write them.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "host/training/options.h"

namespace mortise::support {

// An integer and a fraction are different limits.
inline training::Amount amount(const nlohmann::json& value) {
  if (value.is_number_float()) return value.get<double>();
  return value.get<int64_t>();
}

inline std::optional<int64_t> optional_integer(const nlohmann::json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<int64_t>());
}

// The type of an option is checked where the command line is read; here it has to fail likewise.
inline Status set_option(training::TrainerOptions& options, const std::string& key, const nlohmann::json& value) {
  if (key == "check_val_every_n_epoch") {
    if (value.is_number_float()) return {Code::kUsage, key + " is no integer"};
    options.check_val_every_n_epoch = optional_integer(value);
    return {};
  }
  if (value.is_null()) return {};
  const std::map<std::string, training::Amount*> amounts = {
      {"limit_train_batches", &options.limit_train_batches}, {"limit_val_batches", &options.limit_val_batches},
      {"limit_test_batches", &options.limit_test_batches},   {"limit_predict_batches", &options.limit_predict_batches},
      {"overfit_batches", &options.overfit_batches},         {"val_check_interval", &options.val_check_interval}};
  const std::map<std::string, int64_t*> integers = {{"max_steps", &options.max_steps},
                                                    {"num_sanity_val_steps", &options.num_sanity_val_steps},
                                                    {"accumulate_grad_batches", &options.accumulate_grad_batches},
                                                    {"fast_dev_run", &options.fast_dev_run}};
  const std::map<std::string, std::optional<int64_t>*> optionals = {
      {"max_epochs", &options.max_epochs}, {"min_epochs", &options.min_epochs}, {"min_steps", &options.min_steps}};
  if (amounts.contains(key)) {
    *amounts.at(key) = amount(value);
  } else if (integers.contains(key)) {
    *integers.at(key) = value.is_boolean() ? value.get<bool>() : value.get<int64_t>();
  } else if (optionals.contains(key)) {
    *optionals.at(key) = value.get<int64_t>();
  } else {
    throw std::runtime_error("the test knows no trainer option " + key);
  }
  return {};
}

inline Result<training::TrainerOptions> read_options(const nlohmann::json& given) {
  training::TrainerOptions options;
  options.num_sanity_val_steps = 0;
  for (const auto& [key, value] : given.items()) MORTISE_RETURN_IF_ERROR(set_option(options, key, value));
  return training::resolve(options);
}

}  // namespace mortise::support
