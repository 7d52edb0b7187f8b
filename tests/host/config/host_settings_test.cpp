#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "host/config/commands.h"
#include "host/config/run_config.h"

namespace mortise::config {
namespace {

Values with(const std::string& key, const std::string& text) {
  Result<Values> values = Values::make(host_settings(), {{key, {text, "command line"}}}, "");
  EXPECT_TRUE(values.ok()) << values.status().message();
  return values.ok() ? *values : Values();
}

TEST(HostSettings, HaveDefaultsThatPassTheirOwnChecks) {
  const Result<Values> values = Values::make(host_settings(), {}, "");

  EXPECT_TRUE(values.ok()) << values.status().message();
}

TEST(HostSettings, AreNamedOnceAndExplained) {
  std::set<std::string> keys;
  for (const Setting& setting : host_settings()) {
    EXPECT_TRUE(keys.insert(setting.key).second) << setting.key << " is there twice";
    EXPECT_FALSE(setting.help.empty()) << setting.key;
    EXPECT_FALSE(setting.group.empty()) << setting.key;
    EXPECT_EQ(setting.key.find('-'), std::string::npos) << setting.key;
  }
}

TEST(HostSettings, AcceptLightningsSpellings) {
  EXPECT_EQ(with("precision", "32").text("precision"), "32-true");
  EXPECT_EQ(with("precision", "16").text("precision"), "16-mixed");
  EXPECT_EQ(with("precision", "bf16").text("precision"), "bf16-mixed");
  EXPECT_EQ(with("accelerator", "gpu").text("accelerator"), "cuda");
  EXPECT_EQ(with("fast_dev_run", "true").integer("fast_dev_run"), 1);
  EXPECT_FALSE(with("check_val_every_n_epoch", "none").has("check_val_every_n_epoch"));
}

TEST(HostSettings, TellACountFromAFraction) {
  EXPECT_EQ(with("limit_train_batches", "1").number("limit_train_batches"), Number(int64_t{1}));
  EXPECT_EQ(with("limit_train_batches", "1.0").number("limit_train_batches"), Number(1.0));
}

TEST(HostSettings, LeaveTheNumberOfEpochsOpen) {
  const Values values = with("max_steps", "10");

  EXPECT_FALSE(values.has("max_epochs"));
  EXPECT_FALSE(values.has("weight_decay"));
  EXPECT_THAT(values.list("betas"), ::testing::ElementsAre("0.9", "0.999"));
}

TEST(Commands, ShowOnlyGroupsAndSettingsThatExist) {
  std::set<std::string> groups, keys;
  for (const Setting& setting : host_settings()) {
    groups.insert(setting.group);
    keys.insert(setting.key);
  }
  for (const Command& command : command_list()) {
    for (const std::string& group : command.groups) EXPECT_EQ(groups.count(group), 1u) << command.name << ": " << group;
    for (const std::string& key : command.hidden) EXPECT_EQ(keys.count(key), 1u) << command.name << ": " << key;
  }
}

TEST(Commands, AreFoundByName) {
  for (const std::string& name : commands()) EXPECT_EQ(find_command(name)->name, name);
  EXPECT_EQ(find_command("Fit"), nullptr);
}

}  // namespace
}  // namespace mortise::config
