// Every option of the host, in the order in which help and --print-config show them. Names and defaults are
// Lightning's where it has the option (fit) and torch's for optimisers.
#include <limits>

#include "host/config/run_config.h"

namespace mortise::config {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();
const std::nullopt_t kUnset = std::nullopt;
using Text = std::optional<std::string>;

Setting integer(const std::string& key, const Text& value, double min, const std::string& unit,
                const std::string& help) {
  return {key, Type::kInt, value, help, unit, {}, min};
}

Setting real(const std::string& key, const Text& value, double min, double max, const std::string& help) {
  return {key, Type::kDouble, value, help, "", {}, min, max};
}

Setting flag(const std::string& key, const Text& value, const std::string& help) {
  return {key, Type::kBool, value, help, ""};
}

// The first choice is the default.
Setting choice(const std::string& key, const std::vector<std::string>& choices, const std::string& help) {
  return {key, Type::kEnum, choices.front(), help, "", choices};
}

Setting text(const std::string& key, Type type, const Text& value, const std::string& help) {
  return {key, type, value, help, ""};
}

// Lightning's rule: with a point it is a share, without it a number of batches.
Setting limit(const std::string& key, const std::string& of) {
  return {key, Type::kNumber, "1.0", of + ": 10 is ten batches, 0.1 a tenth of them", "batches", {}, 0};
}

// Other spellings that Lightning takes; each stands for one of the values.
Setting with_aliases(Setting setting, std::vector<std::pair<std::string, std::string>> aliases) {
  setting.aliases = std::move(aliases);
  return setting;
}

// "none" is a value of its own here, other than the default.
Setting unsettable(Setting setting) {
  setting.unsettable = true;
  return setting;
}

std::vector<Setting> in_group(const std::string& group, std::vector<Setting> settings) {
  for (Setting& setting : settings) setting.group = group;
  return settings;
}

std::vector<Setting> duration_settings() {
  return {
      integer("max_epochs", kUnset, -1, "epochs",
              "end after so many; unset: 1000, or no limit if --max-steps is given"),
      integer("min_epochs", kUnset, 0, "epochs", "no plugin stops the run before"),
      integer("max_steps", "-1", -1, "steps", "end after so many optimiser steps; -1: no limit"),
      integer("min_steps", kUnset, 0, "steps", "no plugin stops the run before"),
      limit("limit_train_batches", "train on a part of each epoch"),
      limit("limit_val_batches", "validate on a part of the data"),
      limit("limit_test_batches", "test on a part of the data"),
      limit("limit_predict_batches", "predict a part of the data"),
      integer("num_sanity_val_steps", "2", -1, "batches", "validated before training begins; -1: all"),
      {"val_check_interval",
       Type::kNumber,
       "1.0",
       "validate each time so many are trained: 100 is a hundred batches, 0.5 half an epoch",
       "batches",
       {},
       0},
      unsettable(integer("check_val_every_n_epoch", "1", 1, "epochs",
                         "validate in every n-th; none: --val-check-interval counts across epochs")),
      with_aliases(integer("fast_dev_run", "0", 0, "batches", "try everything on so many batches; alone: on one"),
                   {{"true", "1"}, {"false", "0"}}),
  };
}

std::vector<Setting> step_settings() {
  return {
      integer("accumulate_grad_batches", "1", 1, "batches", "sum gradients over so many before a step"),
      real("gradient_clip_val", "0", 0, kNoBound, "limit of the gradients' norm or value; 0: off"),
      choice("gradient_clip_algorithm", {"norm", "value"}, "what is limited"),
      with_aliases(choice("accelerator", {"auto", "cpu", "cuda"}, "where the model runs"), {{"gpu", "cuda"}}),
      with_aliases(choice("precision", {"32-true", "16-mixed", "bf16-mixed"}, "of forward and backward passes"),
                   {{"32", "32-true"}, {"16", "16-mixed"}, {"bf16", "bf16-mixed"}}),
      integer("seed", "0", 0, "", "of weights, shuffling and everything random"),
      text("ckpt_path", Type::kPath, kUnset, "resume from this checkpoint"),
      text("default_root_dir", Type::kPath, ".", "runs are written to mortise_runs/ in this folder"),
  };
}

std::vector<Setting> optimiser_settings() {
  return {
      choice("optimizer", {"sgd", "adam", "adamw"}, "with torch's meaning of every option"),
      real("lr", "0.01", 0, kNoBound, "learning rate"),
      real("momentum", "0", 0, kNoBound, "sgd"),
      real("dampening", "0", 0, kNoBound, "of the momentum; sgd"),
      flag("nesterov", "false", "Nesterov's momentum; sgd"),
      real("weight_decay", kUnset, 0, kNoBound, "unset: torch's default, 0.01 for adamw and else 0"),
      text("betas", Type::kList, "0.9,0.999", "decay of the two running means; adam, adamw"),
      real("eps", "1e-8", 0, kNoBound, "added to the denominator; adam, adamw"),
      flag("amsgrad", "false", "keep the greatest second moment; adam, adamw"),
  };
}

std::vector<Setting> data_settings() {
  return {
      text("data", Type::kString, "fashion-mnist", "NAME or NAME:FOLDER"),
      integer("val_size", "5000", 0, "samples", "held back from the training data for validation"),
      integer("batch_size", "64", 1, "samples", "of all batches but the last"),
      text("model", Type::kString, "lenet", "which network"),
  };
}

std::vector<Setting> plugin_settings() {
  return {
      text("plugin_dir", Type::kPath, kUnset, "a folder of plugins; may be repeated; also MORTISE_PLUGIN_PATH"),
      text("plugins", Type::kList, kUnset, "which to load: pruning,best=checkpoint names the second one 'best'"),
      text("metric_alias", Type::kList, kUnset, "NAME=METRIC logs METRIC under NAME too"),
      choice("on_plugin_error", {"stop", "detach", "ignore"},
             "what the run does when a plugin fails; detach: unload it and go on"),
  };
}

std::vector<Setting> soak_settings() {
  Setting timeout = real("unload_timeout", "5", 0, kNoBound, "how long a plugin may take to come to rest");
  timeout.unit = "seconds";
  return {
      integer("cycles", "20", 1, "cycles", "how often to load, fit, test and unload"),
      flag("fresh_model", "true", "a new model each cycle; false: one model is trained on"),
      integer("warm_up", "2", 1, "cycles", "not judged; the last of them is the baseline"),
      timeout,
  };
}

std::vector<Setting> output_settings() {
  return {
      flag("json", "false", "results as one JSON object a line"),
      choice("progress", {"auto", "bar", "plain", "none"}, "auto: a bar on a terminal, else a line an epoch"),
      choice("color", {"auto", "always", "never"}, "auto: on a terminal, unless NO_COLOR is set"),
      flag("verbose", "false", "say more"),
      text("output", Type::kPath, kUnset, "the file that predictions are written to"),
  };
}

}  // namespace

const std::vector<Setting>& host_settings() {
  // Made at the first use: an order among static objects of several files cannot be relied on.
  static const std::vector<Setting> settings = [] {
    std::vector<Setting> all;
    const auto add = [&all](const std::string& group, std::vector<Setting> part) {
      for (Setting& setting : in_group(group, std::move(part))) all.push_back(std::move(setting));
    };
    add("Evaluate", {text("ckpt", Type::kString, kUnset, "best, last or the path of a checkpoint")});
    add("Soak", soak_settings());
    add("Trainer", duration_settings());
    add("Trainer", step_settings());
    add("Optimiser", optimiser_settings());
    add("Data and model", data_settings());
    add("Plugins", plugin_settings());
    add("Configuration", {text("config", Type::kPath, kUnset, "a run file; the command line wins over it"),
                          flag("print_config", "false", "show all values and where each came from, and end")});
    add("New plugin", {choice("lang", {"cpp", "c", "rust"}, "the language of the plugin")});
    add("Output", output_settings());
    return all;
  }();
  return settings;
}

}  // namespace mortise::config
