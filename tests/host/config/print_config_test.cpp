#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/config/run_config.h"
#include "tests/host/config/temporary_file.h"

namespace mortise::config {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

using Line = std::vector<std::string>;

const std::vector<Setting> kOptions = {
    {.key = "amount", .type = Type::kNumber, .default_value = "0.5"},
    {.key = "monitor"},
    {.key = "patience", .type = Type::kInt, .default_value = "3", .unsettable = true},
    {.key = "tags", .type = Type::kList}};

Result<RunConfig> resolve(const Line& line, const std::string& plugin_path) {
  Result<Raw> raw = read(line, plugin_path);
  if (!raw.ok()) return raw.status();
  Result<RunConfig> config = resolve_host(*raw);
  if (!config.ok()) return config.status();
  std::map<std::string, std::vector<Setting>> by_instance;
  for (const PluginUse& use : config->plugins) by_instance[use.instance] = kOptions;
  MORTISE_RETURN_IF_ERROR(resolve_plugins(*config, *raw, by_instance));
  return config;
}

RunConfig must_resolve(const Line& line, const std::string& plugin_path = "") {
  Result<RunConfig> config = resolve(line, plugin_path);
  EXPECT_TRUE(config.ok()) << config.status().message();
  return config.ok() ? *config : RunConfig{};
}

void expect_same(const Values& a, const Values& b) {
  ASSERT_EQ(a.settings().size(), b.settings().size());
  for (const Setting& setting : a.settings()) {
    if (setting.key == "config" || setting.key == "print_config") continue;
    ASSERT_EQ(a.has(setting.key), b.has(setting.key)) << setting.key;
    if (!a.has(setting.key)) continue;
    EXPECT_EQ(a.text(setting.key), b.text(setting.key)) << setting.key;
  }
}

TEST(PrintConfig, CanBeReadBack) {
  const Line lines[] = {
      {"fit"},
      {"soak", "--cycles", "3", "--no-fresh-model", "--warm-up", "1"},
      {"fit", "--max-epochs", "3", "--precision", "16", "--fast-dev-run", "--check-val-every-n-epoch", "none"},
      {"fit", "--print-config", "--output", "a # b\\#c=d.pt", "--metric-alias", "a=b,c=d"},
      {"fit", "--plugin-dir", "x", "--plugin-dir", "y z"},
      {"fit", "--plugins", "pruning,best=pruning", "--pruning.amount", "1", "--best.monitor", "valid_loss 3",
       "--best.patience", "none", "--best.tags", "a, b"},
      {"predict", "--output", ""},
  };
  for (const Line& line : lines) {
    const RunConfig first = must_resolve(line, "from_env");

    const TemporaryFile file(print_config(first));
    const RunConfig second = must_resolve({first.command, "--config", file.path()}, "from_env");

    SCOPED_TRACE(testing::PrintToString(line));
    expect_same(first.host, second.host);
    ASSERT_EQ(first.plugin_options.size(), second.plugin_options.size());
    for (const auto& [instance, values] : first.plugin_options) expect_same(values, second.plugin_options.at(instance));
  }
}

TEST(PrintConfig, SaysWhereEachValueCameFrom) {
  const TemporaryFile file("lr = 0.5\n");

  const std::string text = print_config(must_resolve({"fit", "--config", file.path(), "--seed", "7"}, "plugs"));

  EXPECT_THAT(text, ContainsRegex("\nseed = 7 +# command line\n"));
  EXPECT_THAT(text, HasSubstr("# " + file.path() + ":1\n"));
  EXPECT_THAT(text, ContainsRegex("\nbatch_size = 64 +# default\n"));
  EXPECT_THAT(text, ContainsRegex("\nplugin_dir = plugs +# MORTISE_PLUGIN_PATH\n"));
  EXPECT_THAT(text, ContainsRegex("\n# max_epochs = +# not set\n"));
}

TEST(PrintConfig, LeavesOutWhatAskedForIt) {
  const std::string text = print_config(must_resolve({"fit", "--print-config"}));

  EXPECT_THAT(text, Not(HasSubstr("print_config =")));
  EXPECT_THAT(text, Not(HasSubstr("\nconfig =")));
}

TEST(PrintConfig, NamesThePluginOfAnInstance) {
  const std::string text = print_config(must_resolve({"fit", "--plugins", "pruning,best=pruning"}));

  EXPECT_THAT(text, HasSubstr("\n[pruning]\n"));
  EXPECT_THAT(text, HasSubstr("\n[best]  # pruning\n"));
}

TEST(PrintConfig, SaysThatALineBreakHasNoForm) {
  const std::string text = print_config(must_resolve({"fit", "--model", "a\nb"}));

  EXPECT_THAT(text, HasSubstr("# model has a value that a run file cannot hold\n"));
}

}  // namespace
}  // namespace mortise::config
