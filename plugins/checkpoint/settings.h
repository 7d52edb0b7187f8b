// The options of the checkpoint plugin, read and checked.
#pragma once

#include <mortise/cpp/option.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "filename.h"
#include "schedule.h"

namespace checkpoint {

inline constexpr mortise::Option kOptions[] = {
    mortise::path_option("dirpath", "Folder of the checkpoints; unset: checkpoints in the run's folder"),
    mortise::text_option("filename", "Name without extension, such as {epoch}-{valid_loss:.2f}; unset: {epoch}-{step}"),
    mortise::text_option("monitor", "Metric that ranks the checkpoints; unset: the newest is the best"),
    mortise::enum_option("mode", "min,max", "Whether smaller or larger values are better").initially("min"),
    mortise::int_option("save_top_k", "How many are kept; 0 none, -1 all; without monitor only -1, 0, 1")
        .initially("1")
        .at_least(-1)
        .in("files"),
    mortise::enum_option("save_last", "false,true,link", "Also keep the newest as last.ckpt, as a file or a link")
        .initially("false"),
    mortise::int_option("every_n_train_steps", "Save every so many optimiser steps; 0: off").at_least(0).in("steps"),
    mortise::int_option("every_n_epochs", "Save every so many epochs; 0: off; unset: 1 if no other trigger is set")
        .at_least(0)
        .in("epochs"),
    mortise::double_option("train_time_interval", "Save when this much time has passed, at a batch's end")
        .at_least(0)
        .in("seconds"),
    mortise::bool_option("save_on_train_epoch_end",
                         "Save when a training epoch ends, else when a validation ends; unset: the epoch's end if "
                         "validation runs once an epoch or never"),
    mortise::bool_option("auto_insert_metric_name", "Write name= before each value in a file's name").initially("true"),
    mortise::bool_option("enable_version_counter", "Append -v1, -v2, ... instead of overwriting a file")
        .initially("true"),
    mortise::bool_option("save_on_exception", "Save once more when the run fails").initially("false"),
    mortise::bool_option("save_weights_only", "Without the states of optimisers and plugins").initially("false"),
    mortise::bool_option("verbose", "Log what is saved and what is not").initially("false"),
};

enum class SaveLast { kNo, kFile, kLink };

struct Settings {
  std::string dirpath;  // empty: not set
  FilenameTemplate filename;
  std::string monitor;  // empty: none
  bool larger_is_better;
  int64_t save_top_k;
  SaveLast save_last;
  Triggers triggers;
  std::optional<bool> at_epoch_end;
  bool version_counter;
  bool on_exception;
  bool weights_only;
  bool verbose;
};

//   errors  std::invalid_argument, mortise::Error
inline Settings read_settings(const mortise::Options& options) {
  const auto text = [&](std::string_view key) {
    return std::string(options.find<std::string_view>(key).value_or(std::string_view()));
  };
  const std::string last = text("save_last"), pattern = text("filename");
  Settings settings{
      .dirpath = text("dirpath"),
      .filename = {pattern.empty() ? "{epoch}-{step}" : pattern, options.get<bool>("auto_insert_metric_name")},
      .monitor = text("monitor"),
      .larger_is_better = text("mode") == "max",
      .save_top_k = options.get<int64_t>("save_top_k"),
      .save_last = last == "true"   ? SaveLast::kFile
                   : last == "link" ? SaveLast::kLink
                                    : SaveLast::kNo,
      .triggers =
          resolve_triggers(options.find<int64_t>("every_n_train_steps"), options.find<int64_t>("every_n_epochs"),
                           options.find<double>("train_time_interval")),
      .at_epoch_end = options.find<bool>("save_on_train_epoch_end"),
      .version_counter = options.get<bool>("enable_version_counter"),
      .on_exception = options.get<bool>("save_on_exception"),
      .weights_only = options.get<bool>("save_weights_only"),
      .verbose = options.get<bool>("verbose"),
  };
  if (settings.monitor.empty() && settings.save_top_k > 1) {
    throw std::invalid_argument(mortise::format(
        "save_top_k is {}, but nothing ranks the files: set monitor, or one of -1, 0, 1", settings.save_top_k));
  }
  return settings;
}

// Python's text of a time, as Lightning has it in the state's key: None, datetime.timedelta(seconds=30).
inline std::string timedelta_text(std::optional<double> seconds) {
  if (!seconds) return "None";
  const auto total_us = static_cast<int64_t>(std::llround(*seconds * 1e6));
  constexpr int64_t kSecond = 1'000'000, kDay = 86'400 * kSecond;
  std::string parts;
  const auto add = [&](const char* name, int64_t count) {
    if (count != 0) parts += mortise::format("{}{}={}", parts.empty() ? "" : ", ", name, count);
  };
  add("days", total_us / kDay);
  add("seconds", total_us % kDay / kSecond);
  add("microseconds", total_us % kSecond);
  return "datetime.timedelta(" + (parts.empty() ? std::string("0") : parts) + ")";
}

// Lightning's key of the state: it tells two instances apart by their settings.
inline std::string state_key(const Settings& settings) {
  return mortise::format(
      "ModelCheckpoint{{'monitor': {}, 'mode': '{}', 'every_n_train_steps': {}, 'every_n_epochs': {}, "
      "'train_time_interval': {}}}",
      settings.monitor.empty() ? "None" : "'" + settings.monitor + "'", settings.larger_is_better ? "max" : "min",
      settings.triggers.every_n_steps, settings.triggers.every_n_epochs, timedelta_text(settings.triggers.interval_s));
}

}  // namespace checkpoint
