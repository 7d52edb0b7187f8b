// The options of this plugin: their declaration, and their values once checked.
#pragma once

#include <mortise/cpp/option.hpp>

#include <optional>
#include <string>
#include <vector>

#include "method.h"

namespace pruning {

inline constexpr mortise::Option kOptionTable[] = {
    mortise::enum_option("pruning_fn", "l1_unstructured,random_unstructured,ln_structured,random_structured",
                         "What is pruned: single weights or whole channels, the smallest or any")
        .required(),
    mortise::list_option("parameters_to_prune",
                         "Full names of the parameters to prune; unset: those that parameter_names finds"),
    mortise::list_option("parameter_names",
                         "Which parameters of every module are pruned where parameters_to_prune is unset: weight, bias")
        .initially("weight,bias"),
    mortise::bool_option("use_global_unstructured", "Rank all parameters together; false: each by itself")
        .initially("true"),
    mortise::number_option("amount", "How much of what is left each prune takes: 0.2 is a fraction, 200 a count")
        .initially("0.5")
        .in("fraction or count"),
    mortise::bool_option("apply_pruning", "Whether to prune at all").initially("true"),
    mortise::bool_option("make_pruning_permanent", "At the end of a fit drop the masks; the zeros stay")
        .initially("true"),
    mortise::bool_option("use_lottery_ticket_hypothesis",
                         "After each prune set the pruned parameters back to where the fit began")
        .initially("true"),
    mortise::int_option("pruning_dim", "Dimension whose channels structured methods prune; -1 is the last"),
    mortise::text_option("pruning_norm", "Norm that ln_structured ranks channels by: a number, inf, -inf or fro"),
    mortise::int_option("verbose", "1: a log line for each prune; 2: one for each parameter as well")
        .initially("0")
        .at_least(0)
        .at_most(2),
    mortise::bool_option("prune_on_train_epoch_end", "Prune after each epoch; false: after each validation")
        .initially("true"),
};

struct Settings {
  Method method;
  std::vector<std::string> parameters;  // empty: discovered
  std::vector<std::string> leaf_names;
  bool apply = true;
  bool permanent = true;
  bool rewind = true;  // the lottery ticket
  int64_t verbose = 0;
  bool after_epoch = true;       // else after each validation
  bool ignored_options = false;  // pruning_dim or pruning_norm for a method that takes none

  // Whether there will be prunes: an amount of nothing is none.
  bool active() const { return apply && !is_zero(method.amount); }
};

namespace internal {

[[noreturn]] inline void refuse(const std::string& why) { throw mortise::Error(MORTISE_INVALID_ARGUMENT, why); }

inline Amount read_amount(const mortise::Options& options) {
  const mortise::Value value = options.value("amount");
  const Amount amount = value.is_int() ? Amount(value.as<int64_t>()) : Amount(value.as<double>());
  if (const auto fault = fault_in(amount); !fault.empty()) refuse(fault);
  return amount;
}

// pruning_dim and pruning_norm, for the methods that take them.
inline void read_channels(const mortise::Options& options, Settings& settings) {
  Method& method = settings.method;
  const bool needs_norm = method.structured && !method.random;
  const auto dim = options.find<int64_t>("pruning_dim");
  const auto norm = options.find<std::string_view>("pruning_norm");
  if (method.structured && !dim) refuse(mortise::format("pruning_fn {} needs pruning_dim", method.name));
  if (needs_norm && !norm) refuse(mortise::format("pruning_fn {} needs pruning_norm", method.name));
  method.dim = dim.value_or(0);
  const auto n = parse_norm(norm.value_or("2"));
  if (!n) refuse(mortise::format("pruning_norm is '{}'; a number, inf, -inf or fro is possible", *norm));
  method.norm = *n;
  settings.ignored_options = (dim && !method.structured) || (norm && !needs_norm);
}

inline void read_names(const mortise::Options& options, Settings& settings) {
  for (const auto name : options.list("parameters_to_prune")) settings.parameters.emplace_back(name);
  for (const auto name : options.list("parameter_names")) {
    if (name != "weight" && name != "bias") {
      refuse(mortise::format("parameter_names has '{}'; weight and bias are possible", name));
    }
    settings.leaf_names.emplace_back(name);
  }
}

}  // namespace internal

// The settings, so far as the options alone can judge them.
//   errors  Error with MORTISE_INVALID_ARGUMENT that names the option
inline Settings read_settings(const mortise::Options& options) {
  Settings settings;
  Method& method = settings.method;
  method.name = options.get<std::string_view>("pruning_fn");
  method.random = method.name.starts_with("random");
  method.structured = method.name.ends_with("_structured");
  method.together = options.get<bool>("use_global_unstructured");
  if (method.structured && method.together) {
    internal::refuse(mortise::format(
        "pruning_fn {} takes each parameter by itself: set use_global_unstructured to false", method.name));
  }
  method.amount = internal::read_amount(options);
  internal::read_channels(options, settings);
  internal::read_names(options, settings);
  settings.apply = options.get<bool>("apply_pruning");
  settings.permanent = options.get<bool>("make_pruning_permanent");
  settings.rewind = options.get<bool>("use_lottery_ticket_hypothesis");
  settings.verbose = options.get<int64_t>("verbose");
  settings.after_epoch = options.get<bool>("prune_on_train_epoch_end");
  return settings;
}

}  // namespace pruning
