#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "plugins/early_stopping/stopper.h"
#include "tests/support/vectors.h"

namespace early_stopping {
namespace {

using nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<double> limit_of(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(mortise::support::vector_number(value));
}

Settings settings_of(const json& options) {
  return {.monitor = options["monitor"],
          .larger_is_better = options["mode"] == "max",
          .min_delta = mortise::support::vector_number(options["min_delta"]),
          .patience = options["patience"],
          .check_finite = options["check_finite"],
          .stopping_threshold = limit_of(options["stopping_threshold"]),
          .divergence_threshold = limit_of(options["divergence_threshold"])};
}

// A number of a vector in the precision in which it was logged.
double number_of(const json& value, bool is_float32) {
  const double number = mortise::support::vector_number(value);
  return is_float32 ? static_cast<float>(number) : number;
}

State state_of(const json& loaded) {
  State state;
  state.wait_count = loaded["wait_count"];
  state.stopped_epoch = loaded["stopped_epoch"];
  state.best_score = number_of(loaded["best_score"], true);
  state.patience = loaded["patience"];
  state.reason = static_cast<Reason>(loaded.value("stopping_reason", 0));
  return state;
}

const char* name_of(Reason reason) {
  static const char* const kNames[] = {"not_stopped", "stopping_threshold", "divergence_threshold",
                                       "patience_exhausted", "non_finite"};
  return kNames[static_cast<int>(reason)];
}

void replay_check(Stopper& stopper, const json& recorded, bool is_float32) {
  const Verdict verdict = stopper.check(number_of(recorded["value"], is_float32), is_float32, recorded["epoch"]);
  const State& state = stopper.state();

  EXPECT_EQ(verdict.stop, recorded["stop"].get<bool>());
  EXPECT_EQ(state.wait_count, recorded["wait_count"].get<int64_t>());
  EXPECT_EQ(state.best_score, number_of(recorded["best_score"], is_float32));
  EXPECT_EQ(name_of(state.reason), recorded["reason"].get<std::string>());
}

void replay_fit(Stopper& stopper, const json& fit) {
  const json& expected = fit["expected"];
  const bool is_float32 = fit["metric_dtype"] == "float32";
  for (const json& check : expected["checks"]) {
    SCOPED_TRACE("check of epoch " + check["epoch"].dump() + ", step " + check["global_step"].dump());
    replay_check(stopper, check, is_float32);
  }

  if (!expected["error"].is_null()) return;
  const State& state = stopper.state();
  EXPECT_EQ(state.stopped_epoch, expected["stopped_epoch"].get<int64_t>());
  EXPECT_EQ(static_cast<int>(state.reason), expected["stopping_reason_value"].get<int>());
  EXPECT_EQ(state.message.has_value(), !expected["stopping_reason_message"].is_null());
  EXPECT_NE(state.message.value_or(stopper.settings().monitor).find(stopper.settings().monitor), std::string::npos)
      << *state.message;
}

TEST(EarlyStoppingDecision, DecidesEveryRecordedCheckAsTheReferenceDid) {
  for (const json& test : mortise::support::load_vectors("training/early_stopping.json")["cases"]) {
    SCOPED_TRACE(test["name"].get<std::string>());
    if (!test["expected_error"].is_null()) {
      // Refused by the option's choices, before there is a decision to make.
      EXPECT_TRUE(test["options"]["mode"] != "min" && test["options"]["mode"] != "max");
      continue;
    }
    Stopper stopper(settings_of(test["options"]));
    if (!test["load_state"].is_null()) stopper.restore(state_of(test["load_state"]));
    for (const json& fit : test["fits"]) replay_fit(stopper, fit);
  }
}

TEST(EarlyStoppingDecision, RoundsLimitsToTheMetricsPrecision) {
  const double tenth_in_float = 0.1f;  // larger than 0.1
  Stopper narrow({.monitor = "loss", .divergence_threshold = 0.1});
  Stopper wide({.monitor = "loss", .divergence_threshold = 0.1});

  EXPECT_FALSE(narrow.check(tenth_in_float, true, 0).stop);
  EXPECT_TRUE(wide.check(tenth_in_float, false, 0).stop);
}

TEST(EarlyStoppingDecision, SaysOnWhichSideOfTheLimitTheValueLies) {
  Stopper smaller({.monitor = "loss", .divergence_threshold = 1.75});
  Stopper larger({.monitor = "accuracy", .larger_is_better = true, .divergence_threshold = 0.875});

  EXPECT_EQ(smaller.check(2.25, true, 0).message, "loss is worse than the divergence threshold: 2.25 > 1.75");
  EXPECT_EQ(larger.check(0.125, true, 0).message, "accuracy is worse than the divergence threshold: 0.125 < 0.875");
}

TEST(EarlyStoppingDecision, CountsNanAsNoImprovementWhereItIsAllowed) {
  Stopper stopper({.monitor = "loss", .patience = 2, .check_finite = false});

  EXPECT_FALSE(stopper.check(kNan, true, 0).stop);
  EXPECT_TRUE(stopper.check(kNan, true, 1).stop);
  EXPECT_EQ(stopper.state().best_score, kInfinity);
}

TEST(EarlyStoppingDecision, TellsHowMuchAValueImproved) {
  Stopper stopper({.monitor = "loss", .min_delta = 0.25});

  EXPECT_EQ(stopper.check(2.0, true, 0).message, "loss improved; the best value is now 2.000");
  EXPECT_EQ(stopper.check(1.5, true, 1).message,
            "loss improved by 0.500 >= min_delta 0.25; the best value is now 1.500");
  EXPECT_EQ(stopper.check(1.25, true, 2).message, "");
}

}  // namespace
}  // namespace early_stopping
