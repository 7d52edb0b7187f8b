// Which settings a command shows in its help. Hidden ones are still accepted, so that one run file serves all
// commands.
#include "host/config/commands.h"

#include <algorithm>

#include "host/config/run_config.h"

namespace mortise::config {
namespace {

const std::vector<std::string> kOnlyFit = {"max_epochs",
                                           "min_epochs",
                                           "max_steps",
                                           "min_steps",
                                           "limit_train_batches",
                                           "num_sanity_val_steps",
                                           "val_check_interval",
                                           "check_val_every_n_epoch",
                                           "accumulate_grad_batches",
                                           "gradient_clip_val",
                                           "gradient_clip_algorithm",
                                           "ckpt_path"};

// What an evaluation has no use for: everything of fit, and the limits and the file of the other evaluations.
std::vector<std::string> hidden_in(const std::string& evaluation) {
  std::vector<std::string> hidden = kOnlyFit;
  for (const char* other : {"val", "test", "predict"}) {
    if (evaluation != other) hidden.push_back("limit_" + std::string(other) + "_batches");
  }
  if (evaluation != "predict") hidden.push_back("output");
  return hidden;
}

// Name, arguments, least and most of them, summary, groups, hidden settings.
std::vector<Command> make_commands() {
  const std::vector<std::string> evaluation = {"Evaluate", "Trainer",       "Data and model",
                                               "Plugins",  "Configuration", "Output"};
  return {
      {"fit",
       "",
       0,
       0,
       "trains, then writes what the plugins ask for",
       {"Trainer", "Optimiser", "Data and model", "Plugins", "Configuration", "Output"},
       {"limit_test_batches", "limit_predict_batches", "output"}},
      {"validate", "", 0, 0, "evaluates a checkpoint on the validation data", evaluation, hidden_in("val")},
      {"test", "", 0, 0, "evaluates a checkpoint on the test data", evaluation, hidden_in("test")},
      {"predict", "", 0, 0, "writes a checkpoint's outputs for the test data", evaluation, hidden_in("predict")},
      {"soak",
       "",
       0,
       0,
       "loads the plugins, fits, tests and unloads them N times in one process, and judges what was left behind",
       {"Soak", "Trainer", "Optimiser", "Data and model", "Plugins", "Configuration", "Output"},
       {"limit_predict_batches", "ckpt_path", "output"}},
      {"plugins",
       "[NAME]",
       0,
       1,
       "lists the plugins in the plugin folders, or the options of one",
       {"Plugins", "Output"},
       {"plugins", "metric_alias", "on_plugin_error", "output", "progress"}},
      {"new-plugin",
       "NAME",
       1,
       1,
       "writes a folder with a plugin of your own, which builds and has a test",
       {"New plugin", "Output"},
       {"output", "progress"}},
      {"doctor",
       "FILE",
       1,
       1,
       "says what is wrong with a plugin's file, and what to do about it; runs nothing of it",
       {"Output"},
       {"output", "progress"}},
      {"inspect",
       "FILE",
       1,
       1,
       "shows what is in a checkpoint; runs nothing of it",
       {"Output"},
       {"output", "progress"}},
  };
}

}  // namespace

const std::vector<Command>& command_list() {
  static const std::vector<Command> list = make_commands();
  return list;
}

const Command* find_command(const std::string& name) {
  const std::vector<Command>& list = command_list();
  const auto at = std::find_if(list.begin(), list.end(), [&](const Command& c) { return c.name == name; });
  return at == list.end() ? nullptr : &*at;
}

const std::vector<std::string>& commands() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Command& command : command_list()) all.push_back(command.name);
    return all;
  }();
  return names;
}

}  // namespace mortise::config
