// A plugin that fails where the run detaches such: it goes in the middle, the run does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/plugin_run.h"
#include "tests/support/recording_callback.h"

namespace mortise {
namespace {

using support::PluginRun;
using testing::HasSubstr;

struct DetachingRun : PluginRun {
  DetachingRun() { environment.on_error = bridge::OnPluginError::kDetach; }
};

TEST(Detach, UnloadsTheCulpritWithAReceiptAndTheRunGoesOn) {
  DetachingRun run;
  ASSERT_TRUE(run.load_fixtures({{"fails_in_event", "best"}, {"clean", ""}}).ok());

  const Status fitted = run.fit();

  EXPECT_TRUE(fitted.ok()) << fitted.message();
  EXPECT_EQ(run.trainer().current_epoch(), 2);
  ASSERT_EQ(run.plugins->instances().size(), 1u);
  const std::vector<ledger::Receipt> receipts = run.plugins->unload();
  ASSERT_EQ(receipts.size(), 2u);
  EXPECT_EQ(receipts[0].detached_because,
            "plugin 'best' (fails_in_event) failed in on_train_epoch_end, epoch 0, step 3: out of cheese");
  EXPECT_EQ(receipts[0].verdict, ledger::Verdict::kClean);
  EXPECT_EQ(receipts[0].events, 3) << "instance_create, the one event and instance_destroy";
  EXPECT_EQ(receipts[1].detached_because, "");
  EXPECT_THAT(run.log.warnings, HasSubstr(receipts[0].detached_because + "; the plugin is unloaded"));
}

TEST(Detach, LeavesTheCodeUnmappedWhileTheRunGoesOn) {
  DetachingRun run;
  ASSERT_TRUE(run.load_fixtures({{"fails_in_event", ""}}).ok());
  support::RecordingCallback after("after");
  after.only = {training::Event::kTrainEpochStart};
  std::vector<size_t> loaded;
  after.react = [&](auto&&...) {
    loaded.push_back(run.plugins->instances().size());
    return Status();
  };
  run.trainer().add_callback(after);

  ASSERT_TRUE(run.fit().ok());

  EXPECT_THAT(loaded, testing::ElementsAre(1, 0));
  EXPECT_TRUE(run.unload().unmapped);
}

TEST(Detach, CountsAFailingGradientHook) {
  DetachingRun run;
  ASSERT_TRUE(run.load_fixtures({{"fails_in_hook", "hooked"}}).ok());

  const Status fitted = run.fit();

  EXPECT_TRUE(fitted.ok()) << fitted.message();
  EXPECT_TRUE(run.plugins->instances().empty());
  const ledger::Receipt receipt = run.unload();
  EXPECT_EQ(receipt.detached_because,
            "plugin 'hooked' (fails_in_hook) failed in a gradient hook, epoch 0, step 0: out of cheese");
  EXPECT_EQ(receipt.tallies[ledger::index_of(ledger::Kind::kHook)].forced, 1);
  EXPECT_TRUE(receipt.unmapped) << receipt.why_mapped;
}

TEST(Detach, KeepsHalfAStateOutOfTheCheckpointItFailedIn) {
  for (const bridge::OnPluginError on_error : {bridge::OnPluginError::kDetach, bridge::OnPluginError::kIgnore}) {
    DetachingRun run;
    run.environment.on_error = on_error;
    ASSERT_TRUE(run.load_fixtures({{"fails_in_save", ""}}).ok());
    support::RecordingCallback saver("saver");
    saver.only = {training::Event::kFitEnd};
    saver.react = [&](auto&&...) { return run.trainer().save_checkpoint("file", false); };
    run.trainer().add_callback(saver);

    const Status fitted = run.fit();

    EXPECT_TRUE(fitted.ok()) << fitted.message();
    EXPECT_TRUE(run.store.files.at("file").callbacks.items.empty());
    EXPECT_EQ(run.unload().detached_because,
              on_error == bridge::OnPluginError::kIgnore
                  ? ""
                  : "plugin 'fails_in_save' failed in state_save, epoch 2, step 6: out of cheese");
  }
}

TEST(Detach, LetsAUserOfTheCulpritsServiceRunOn) {
  DetachingRun run;
  ASSERT_TRUE(run.load_fixtures({{"offers_counter", ""}, {"uses_counter", ""}}).ok());
  auto* const provider = run.plugins->instances().front().get();
  support::RecordingCallback fault("fault");
  fault.only = {training::Event::kTrainBatchStart};
  fault.react = [&, done = false](auto&&...) mutable {
    return std::exchange(done, true) ? Status() : provider->judge_failure(MORTISE_PLUGIN_FAILED, "a trial", "trouble");
  };
  run.trainer().add_callback(fault);

  ASSERT_TRUE(run.fit().ok());

  EXPECT_THAT(run.log.all, HasSubstr("NOT_FOUND: exchange.call: 'org.example.counter/1' is offered no more"));
  for (const ledger::Receipt& receipt : run.plugins->unload()) EXPECT_EQ(receipt.verdict, ledger::Verdict::kClean);
}

TEST(Detach, DoesNotLetOffAPluginThatFailsOutsideARun) {
  DetachingRun run;

  const Status loaded = run.load(support::fixture("create_fails"));

  EXPECT_EQ(loaded.code(), Code::kPlugin);
}

struct Policy {
  const char* name;
  bridge::OnPluginError on_error;
  bool good;
};

class FailingHook : public testing::TestWithParam<Policy> {};

TEST_P(FailingHook, EndsTheRunOrNotAndIsNamedWithItsPlace) {
  PluginRun run;
  run.environment.on_error = GetParam().on_error;
  ASSERT_TRUE(run.load_fixtures({{"fails_in_hook", ""}}).ok());

  const Status fitted = run.fit();

  const char* const message = "plugin 'fails_in_hook' failed in a gradient hook, epoch 0, step 0: out of cheese";
  EXPECT_THAT(GetParam().good ? run.log.warnings : fitted.message(), HasSubstr(message));
  EXPECT_EQ(fitted.code(), GetParam().good ? Code::kOk : Code::kPlugin);
}

INSTANTIATE_TEST_SUITE_P(EachPolicy, FailingHook,
                         testing::Values(Policy{"stop", bridge::OnPluginError::kStop, false},
                                         Policy{"detach", bridge::OnPluginError::kDetach, true},
                                         Policy{"ignore", bridge::OnPluginError::kIgnore, true}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace mortise
