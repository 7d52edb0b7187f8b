#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "host/config/run_config.h"
#include "host/core/text.h"

namespace mortise::config {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Help, ListsAllCommands) {
  const std::string text = help("");

  for (const std::string& command : commands()) EXPECT_THAT(text, HasSubstr("\n  " + command)) << text;
}

TEST(Help, ShowsDefaultsUnitsAndChoices) {
  const std::string text = help("fit");

  EXPECT_THAT(text, HasSubstr("Usage: mortise fit [OPTIONS]"));
  EXPECT_THAT(text, ContainsRegex("--batch-size N +.*\\[64 samples\\]"));
  EXPECT_THAT(text, ContainsRegex("--optimizer sgd\\|adam\\|adamw .*\\[sgd\\]"));
  EXPECT_THAT(text, HasSubstr("\nTrainer\n"));
}

TEST(Help, LeavesOutWhatACommandDoesNotUse) {
  EXPECT_THAT(help("fit"), Not(HasSubstr("--cycles")));
  EXPECT_THAT(help("soak"), HasSubstr("--cycles"));
  EXPECT_THAT(help("test"), Not(HasSubstr("--max-epochs")));
  EXPECT_THAT(help("test"), HasSubstr("--limit-test-batches"));
  EXPECT_THAT(help("test"), Not(HasSubstr("--limit-val-batches")));
  EXPECT_THAT(help("predict"), HasSubstr("--output PATH"));
  EXPECT_THAT(help("inspect"), HasSubstr("mortise inspect FILE"));
}

TEST(Help, FitsIntoAHundredColumns) {
  for (const std::string& command : commands()) {
    std::istringstream lines(help(command));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 100u) << line;
  }
}

TEST(OptionTable, AlignsItsColumns) {
  const std::string text = option_table(
      {{.key = "min_delta", .type = Type::kDouble, .default_value = "0.0", .help = "least gain"},
       {.key = "patience", .type = Type::kInt, .default_value = "3", .help = "how long", .unit = "checks", .min = 1},
       {.key = "monitor", .help = "what", .required = true}},
      "early_stopping.");

  EXPECT_EQ(text,
            "option                      type                      default     unit    what it does\n"
            "--early-stopping.min-delta  number                    0.0                 least gain\n"
            "--early-stopping.patience   whole number, at least 1  3           checks  how long\n"
            "--early-stopping.monitor    text                      (required)          what\n");
}

TEST(OptionTable, SaysThatThereAreNone) { EXPECT_EQ(option_table({}, "x."), "no options\n"); }

}  // namespace
}  // namespace mortise::config
