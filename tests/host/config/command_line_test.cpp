#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/config/run_config.h"
#include "tests/host/config/temporary_file.h"

namespace mortise::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Line = std::vector<std::string>;

Raw must_read(const Line& line, const std::string& plugin_path = "") {
  Result<Raw> raw = read(line, plugin_path);
  EXPECT_TRUE(raw.ok()) << raw.status().message();
  return raw.ok() ? *raw : Raw{};
}

std::string value(const Line& line, const std::string& key) {
  const Raw raw = must_read(line);
  return raw.values.count(key) ? raw.values.at(key).text : "(not given)";
}

TEST(CommandLine, TakesCommandArgumentsAndValuesApart) {
  const Raw raw = must_read({"inspect", "--color", "never", "a.ckpt"});

  EXPECT_EQ(raw.command, "inspect");
  EXPECT_THAT(raw.arguments, ElementsAre("a.ckpt"));
  EXPECT_EQ(raw.values.at("color").text, "never");
  EXPECT_EQ(raw.values.at("color").origin, "command line");
}

TEST(CommandLine, AcceptsEverySpellingOfAnOption) {
  const struct {
    Line line;
    const char* key;
    const char* expected;
  } cases[] = {
      {{"fit", "--max-epochs", "3"}, "max_epochs", "3"},
      {{"fit", "--max_epochs=3"}, "max_epochs", "3"},
      {{"--max-epochs=3", "fit"}, "max_epochs", "3"},
      {{"fit", "--max-steps", "-1"}, "max_steps", "-1"},
      {{"fit", "--max-epochs", "3", "--max-epochs", "4"}, "max_epochs", "4"},
      {{"fit", "--json"}, "json", "true"},
      {{"fit", "--json", "false"}, "json", "false"},
      {{"fit", "--json=false"}, "json", "false"},
      {{"fit", "--no-json"}, "json", "false"},
      {{"fit", "--no_json"}, "json", "false"},
      {{"fit", "--fast-dev-run"}, "fast_dev_run", "true"},
      {{"fit", "--fast-dev-run", "3"}, "fast_dev_run", "3"},
      {{"fit", "--early-stopping.min-delta", "-0.5"}, "early_stopping.min_delta", "-0.5"},
      {{"fit", "--best.monitor", "valid_loss 3"}, "best.monitor", "valid_loss 3"},
      {{"fit", "--best.monitor=valid_loss 3"}, "best.monitor", "valid_loss 3"},
      {{"fit", "--best.verbose", "--json"}, "best.verbose", "true"},
      {{"fit", "--no-best.verbose"}, "best.verbose", "false"},
      {{"fit", "--plugins=best=checkpoint"}, "plugins", "best=checkpoint"},
      {{"fit", "--output", ""}, "output", ""},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(value(c.line, c.key), c.expected) << testing::PrintToString(c.line);
    EXPECT_EQ(must_read(c.line).command, "fit");
  }
}

TEST(CommandLine, DoesNotGuessAnOptionFromItsBeginning) {
  const Raw raw = must_read({"fit", "--max-epo", "3"});

  EXPECT_EQ(raw.values.count("max_epochs"), 0u);
  EXPECT_EQ(raw.values.count("max_epo"), 1u);
}

TEST(CommandLine, LeavesAWordBehindAFlagAlone) {
  const Raw raw = must_read({"inspect", "--json", "a.ckpt"});

  EXPECT_EQ(raw.values.at("json").text, "true");
  EXPECT_THAT(raw.arguments, ElementsAre("a.ckpt"));
}

TEST(CommandLine, TakesEverythingBehindTwoHyphensAsWords) {
  const Raw raw = must_read({"inspect", "--json", "--", "--odd.ckpt"});

  EXPECT_THAT(raw.arguments, ElementsAre("--odd.ckpt"));
}

TEST(CommandLine, KnowsHelpAndVersion) {
  EXPECT_TRUE(must_read({"fit", "--help"}).help);
  EXPECT_TRUE(must_read({"fit", "-h"}).help);
  EXPECT_TRUE(must_read({"--version"}).version);
  const Raw raw = must_read({"help", "fit"});
  EXPECT_TRUE(raw.help);
  EXPECT_EQ(raw.command, "fit");
  EXPECT_FALSE(must_read({"fit"}).help);
}

TEST(CommandLine, IsEmptyForAnEmptyLine) {
  const Raw raw = must_read({});

  EXPECT_EQ(raw.command, "");
  EXPECT_THAT(raw.values, IsEmpty());
}

TEST(CommandLine, RefusesWhatCannotBeRead) {
  const struct {
    Line line;
    const char* message;
  } cases[] = {
      {{"fit", "--max-epochs"}, "--max-epochs: needs a value: N"},
      {{"fit", "--max-epochs", "--json"}, "--max-epochs: needs a value: N"},
      {{"fit", "--max-epochs="}, "--max-epochs=: needs a value behind '='"},
      {{"fit", "-x"}, "-x: unknown option; options begin with two hyphens"},
      {{"fit", "--no-json=true"}, "--no-json: takes no value"},
      {{"fit", "--config", "/no/such/run.ini"}, "--config: cannot read '/no/such/run.ini': No such file or directory"},
  };
  for (const auto& c : cases) {
    const Result<Raw> raw = read(c.line, "");
    ASSERT_FALSE(raw.ok()) << c.message;
    EXPECT_EQ(raw.status().code(), Code::kUsage);
    EXPECT_EQ(raw.status().message(), c.message);
  }
}

TEST(CommandLine, WinsOverTheRunFile) {
  const TemporaryFile file("max_epochs = 5\nlr = 0.5\n");

  const Raw raw = must_read({"fit", "--config", file.path(), "--max-epochs", "3"});

  EXPECT_EQ(raw.values.at("max_epochs").text, "3");
  EXPECT_EQ(raw.values.at("max_epochs").origin, "command line");
  EXPECT_EQ(raw.values.at("lr").text, "0.5");
  EXPECT_EQ(raw.values.at("lr").origin, file.path() + ":2");
}

TEST(PluginFoldersAsked, AreKeptInOrderAndTheEnvironmentsComeLast) {
  const Raw raw = must_read({"fit", "--plugin-dir", "b", "--plugin-dir", "a"}, "c:a:");

  EXPECT_EQ(raw.values.at("plugin_dir").text, "b:a:c");
  EXPECT_EQ(raw.values.at("plugin_dir").origin, "command line");
}

TEST(PluginFoldersAsked, ComeFromTheEnvironmentAlone) {
  const Raw raw = must_read({"fit"}, "c");

  EXPECT_EQ(raw.values.at("plugin_dir").text, "c");
  EXPECT_EQ(raw.values.at("plugin_dir").origin, "MORTISE_PLUGIN_PATH");
  EXPECT_EQ(must_read({"fit"}, "").values.count("plugin_dir"), 0u);
}

TEST(PluginFoldersAsked, AreReadFromTheProcessUnlessPassedIn) {
  ASSERT_EQ(::setenv("MORTISE_PLUGIN_PATH", "from_process", 1), 0);

  const Result<Raw> raw = read({"fit"});
  ::unsetenv("MORTISE_PLUGIN_PATH");

  ASSERT_TRUE(raw.ok());
  EXPECT_EQ(raw->values.at("plugin_dir").text, "from_process");
}

}  // namespace
}  // namespace mortise::config
