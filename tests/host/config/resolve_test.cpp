#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/config/run_config.h"
#include "tests/host/config/temporary_file.h"

namespace mortise::config {
namespace {

using ::testing::HasSubstr;

using Line = std::vector<std::string>;
using ByInstance = std::map<std::string, std::vector<Setting>>;

const std::vector<Setting> kPruning = {{.key = "amount", .type = Type::kNumber, .default_value = "0.5"},
                                       {.key = "verbose", .type = Type::kBool, .default_value = "false"}};

Result<RunConfig> resolve(const Line& line, const ByInstance& by_instance = {}) {
  Result<Raw> raw = read(line, "");
  if (!raw.ok()) return raw.status();
  Result<RunConfig> config = resolve_host(*raw);
  if (!config.ok()) return config.status();
  MORTISE_RETURN_IF_ERROR(resolve_plugins(*config, *raw, by_instance));
  return config;
}

TEST(Resolve, GivesCommandValuesAndPlugins) {
  const Result<RunConfig> config =
      resolve({"fit", "--max-epochs", "3", "--plugins", "pruning,soft=pruning", "--soft.amount", "0.1"},
              {{"pruning", kPruning}, {"soft", kPruning}});

  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->command, "fit");
  EXPECT_EQ(config->host.integer("max_epochs"), 3);
  ASSERT_EQ(config->plugins.size(), 2u);
  EXPECT_EQ(config->plugins[1].instance, "soft");
  EXPECT_EQ(config->plugins[1].id, "pruning");
  EXPECT_DOUBLE_EQ(config->plugin_options.at("pruning").real("amount"), 0.5);
  EXPECT_DOUBLE_EQ(config->plugin_options.at("soft").real("amount"), 0.1);
}

TEST(Resolve, FindsAnInstanceWrittenWithHyphens) {
  const Result<RunConfig> config =
      resolve({"fit", "--plugins", "early-stopping", "--early-stopping.amount=2"}, {{"early_stopping", kPruning}});

  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->plugins[0].id, "early_stopping");
  EXPECT_EQ(config->plugin_options.at("early_stopping").text("amount"), "2");
}

TEST(Resolve, TakesPluginFlagsWithoutAValue) {
  const Result<RunConfig> config =
      resolve({"fit", "--plugins", "pruning", "--pruning.verbose"}, {{"pruning", kPruning}});

  ASSERT_TRUE(config.ok());
  EXPECT_TRUE(config->plugin_options.at("pruning").flag("verbose"));
}

TEST(Resolve, HasNoPluginsUnlessAsked) {
  const Result<RunConfig> config = resolve({"plugins"});

  ASSERT_TRUE(config.ok());
  EXPECT_TRUE(config->plugins.empty());
  EXPECT_FALSE(config->host.has("plugin_dir"));
}

TEST(Resolve, SaysWhatIsWrong) {
  const struct {
    Line line;
    const char* message;
  } cases[] = {
      {{}, "no command given; the commands are fit, validate"},
      {{"ftt"}, "'ftt' is no command; did you mean 'fit'?"},
      {{"banana"}, "'banana' is no command; the commands are fit, "},
      {{"fit", "fast"}, "fit: takes no argument, and 'fast' is one too many"},
      {{"inspect"}, "inspect: needs FILE"},
      {{"inspect", "a", "b"}, "inspect: takes one argument, and 'b' is one too many"},
      {{"fit", "--max-epoch", "3"}, "--max-epoch: unknown option; did you mean '--max-epochs'?"},
      {{"fit", "--no-max-epochs"}, "--no-max-epochs: unknown option"},
      {{"fit", "--plugins", "pruning,pruning"},
       "--plugins: 'pruning' is there twice; give the second a name of its own"},
      {{"fit", "--plugins", "a=b=c"}, "--plugins: 'a=b=c' is neither ID nor NAME=ID"},
      {{"fit", "--plugins", "=b"}, "--plugins: '=b' is neither ID nor NAME=ID"},
      {{"fit", "--plugins", "./x.so"}, "--plugins: './x.so' is neither ID nor NAME=ID"},
      {{"fit", "--plugins", "pruning", "--prunning.amount", "1"},
       "--prunning.amount: no plugin 'prunning' in this run, --plugins has pruning; did you mean 'pruning'?"},
      {{"fit", "--best.x", "1"}, "--best.x: no plugin 'best' in this run, --plugins is empty"},
      {{"fit", "--plugins", "pruning", "--pruning.amuont", "1"},
       "--pruning.amuont: unknown option; did you mean '--pruning.amount'?"},
      {{"fit", "--plugins", "pruning", "--no-pruning.amount"}, "--pruning.amount: needs a value"},
  };
  for (const auto& c : cases) {
    const Result<RunConfig> config = resolve(c.line, {{"pruning", kPruning}});
    ASSERT_FALSE(config.ok()) << c.message;
    EXPECT_EQ(config.status().code(), Code::kUsage);
    EXPECT_THAT(config.status().message(), ::testing::StartsWith(c.message));
  }
}

TEST(Resolve, NamesFileAndLineOfAWrongValue) {
  const TemporaryFile file("plugins = pruning\n[pruning]\namount = much\n");

  const Result<RunConfig> config = resolve({"fit", "--config", file.path()}, {{"pruning", kPruning}});

  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.status().message(), ::testing::StartsWith(file.path() + ":3: pruning.amount: 'much' is not"));
}

TEST(Resolve, ExplainsASectionOfHostSettings) {
  const TemporaryFile file("[trainer]\nmax_epochs = 3\n");

  const Result<RunConfig> config = resolve({"fit", "--config", file.path()});

  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.status().message(), HasSubstr(":2: trainer.max_epochs: no plugin 'trainer' in this run"));
  EXPECT_THAT(config.status().message(), HasSubstr("max_epochs is written without a section"));
}

}  // namespace
}  // namespace mortise::config
