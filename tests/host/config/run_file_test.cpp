#include "host/config/run_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/config/temporary_file.h"

namespace mortise::config {
namespace {

std::map<std::string, Given> must_read(const TemporaryFile& file) {
  Result<std::map<std::string, Given>> values = read_run_file(file.path());
  EXPECT_TRUE(values.ok()) << values.status().message();
  return values.ok() ? *values : std::map<std::string, Given>{};
}

TEST(RunFile, GivesEachValueWithItsLine) {
  const TemporaryFile file(
      "# first\n"
      "max-epochs = 3\n"
      "\n"
      "[early-stopping]\n"
      "min_delta=0.1   # behind a value\n");

  const auto values = must_read(file);

  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values.at("max_epochs").text, "3");
  EXPECT_EQ(values.at("max_epochs").origin, file.path() + ":2");
  EXPECT_EQ(values.at("early_stopping.min_delta").text, "0.1");
  EXPECT_EQ(values.at("early_stopping.min_delta").origin, file.path() + ":5");
}

TEST(RunFile, AcceptsEveryFormOfAValue) {
  const struct {
    const char* content;
    const char* key;
    const char* text;
  } cases[] = {
      {"monitor = valid_loss 3", "monitor", "valid_loss 3"},
      {"a.monitor = x", "a.monitor", "x"},
      {"monitor =", "monitor", ""},
      {"monitor = a = b", "monitor", "a = b"},
      {"monitor = a\\#b # c", "monitor", "a#b"},
      {"monitor = a\\\\#b", "monitor", "a\\#b"},
      {"monitor = x\r\n", "monitor", "x"},
      {"[ a ] # why\nmonitor = x", "a.monitor", "x"},
      {"[a]\n[b]\nmonitor = x", "b.monitor", "x"},
      {"plugin_dir = x\nplugin_dir = y", "plugin_dir", "x:y"},
  };
  for (const auto& c : cases) {
    const TemporaryFile file(c.content);
    const auto values = must_read(file);
    ASSERT_EQ(values.count(c.key), 1u) << c.content;
    EXPECT_EQ(values.at(c.key).text, c.text) << c.content;
  }
}

TEST(RunFile, NamesTheLineThatIsWrong) {
  const struct {
    const char* content;
    const char* message;  // behind the file's name
  } cases[] = {
      {"lr = 1\nmax_epochs 3\n", ":2: 'max_epochs 3' is no setting; write KEY = VALUE, [PLUGIN] or # COMMENT"},
      {"[pruning\n", ":1: '[pruning' is no setting; write KEY = VALUE, [PLUGIN] or # COMMENT"},
      {"[]\n", ":1: '[]' is no setting; write KEY = VALUE, [PLUGIN] or # COMMENT"},
      {"lr = 1\n\nlr = 2\n", ":3: lr: was given before, at "},
      {"[a]\nmax-x = 1\nmax_x = 2\n", ":3: a.max_x: was given before, at "},
      {"config = other.ini\n", ":1: config: a run file cannot name another one"},
  };
  for (const auto& c : cases) {
    const TemporaryFile file(c.content);
    const auto values = read_run_file(file.path());
    ASSERT_FALSE(values.ok()) << c.content;
    EXPECT_EQ(values.status().code(), Code::kUsage);
    EXPECT_THAT(values.status().message(), ::testing::StartsWith(file.path() + c.message));
  }
}

TEST(RunFile, RefusesALineWithoutAKey) {
  const TemporaryFile file("[a]\n = 3\n");

  EXPECT_THAT(read_run_file(file.path()).status().message(), ::testing::HasSubstr(":2: "));
}

TEST(RunFile, RefusesBytesThatAreNoText) {
  const TemporaryFile file("lr = \xFF\n");

  const auto values = read_run_file(file.path());

  ASSERT_FALSE(values.ok());
  EXPECT_THAT(values.status().message(), ::testing::HasSubstr("is no text in UTF-8"));
}

TEST(RunFile, SaysWhenItCannotBeRead) {
  const auto values = read_run_file("/no/such/run.ini");

  ASSERT_FALSE(values.ok());
  EXPECT_EQ(values.status().code(), Code::kUsage);
  EXPECT_EQ(values.status().message(), "--config: cannot read '/no/such/run.ini': No such file or directory");
}

}  // namespace
}  // namespace mortise::config
