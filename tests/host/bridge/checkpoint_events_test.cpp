// What plugins are told of checkpoint files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/plugin_run.h"

namespace mortise {
namespace {

using support::PluginRun;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(CheckpointEvents, TellEveryPluginOfEachFileThatWasSaved) {
  PluginRun run;
  ASSERT_TRUE(run.load_fixtures({{"tells_checkpoints", ""}, {"tells_checkpoints", "other"}}).ok());

  ASSERT_TRUE(run.fit().ok());

  const std::string one = std::filesystem::absolute("one").string(), two = std::filesystem::absolute("two").string();
  for (const char* name : {"tells_checkpoints", "other"})
    EXPECT_THAT(run.log.all, AllOf(HasSubstr(std::string(name) + ": saved " + one + "\n"),
                                   HasSubstr(std::string(name) + ": saved " + two + ", weights only\n")));
}

TEST(CheckpointEvents, LetNoCheckpointBeSavedInside) {
  PluginRun run;
  ASSERT_TRUE(run.load_fixtures({{"tells_checkpoints", ""}}).ok());

  ASSERT_TRUE(run.fit().ok());

  EXPECT_THAT(run.log.all, HasSubstr("WRONG_STATE: checkpoints.save: a checkpoint is being saved already"));
  EXPECT_EQ(run.store.files.count("three"), 0u);
}

TEST(CheckpointEvents, TellOfTheFileThatAFitGoesOnFrom) {
  PluginRun run;
  ASSERT_TRUE(run.load_fixtures({{"tells_checkpoints", ""}}).ok());
  ASSERT_TRUE(run.fit().ok());
  EXPECT_THAT(run.log.all, Not(HasSubstr("loaded")));
  run.log.all.clear();
  run.trainer().set_max_epochs(3);

  ASSERT_TRUE(run.fit("one").ok());

  EXPECT_THAT(run.log.all, HasSubstr("loaded " + std::filesystem::absolute("one").string() +
                                     ", resumed from one\ntells_checkpoints: fit starts\n"));
}

TEST(CheckpointEvents, AreNotToldOfAFileThatCouldNotBeWritten) {
  PluginRun run;
  run.store.refuse = {Code::kIo, "the disk is full"};
  ASSERT_TRUE(run.load_fixtures({{"tells_checkpoints", ""}}).ok());

  const Status fitted = run.fit();

  EXPECT_THAT(fitted.message(), HasSubstr("the disk is full"));
  EXPECT_THAT(run.log.all, Not(HasSubstr("saved")));
}

TEST(CheckpointEvents, AreInADescription) {
  const auto description = bridge::describe(*loader::inspect(support::fixture("tells_checkpoints")));

  ASSERT_TRUE(description.ok());
  EXPECT_THAT(description->events, testing::IsSupersetOf({"on_checkpoint_saved", "on_checkpoint_loaded"}));
}

}  // namespace
}  // namespace mortise
