// What plugins leave behind, and what unloading makes of it. The plugins are real libraries of tests/fixtures.
#include <gtest/gtest.h>

#include <cmath>

#include "host/ledger/cpu_memory.h"
#include "tests/support/plugin_run.h"

namespace mortise {
namespace {

using ledger::Kind;
using ledger::Verdict;
using support::fixture;
using support::PluginRun;

// Loads, fits and unloads a fixture.
ledger::Receipt receipt_of(PluginRun& run, const std::string& name) {
  EXPECT_TRUE(run.load(fixture(name)).ok());
  const Status fitted = run.fit();
  EXPECT_TRUE(fitted.ok()) << fitted.message();
  return run.unload();
}

TEST(Unload, OfACleanPluginIsCleanAndUnmapped) {
  PluginRun run;

  const ledger::Receipt receipt = receipt_of(run, "clean");

  EXPECT_EQ(receipt.verdict, Verdict::kClean);
  EXPECT_TRUE(receipt.unmapped) << receipt.why_mapped;
  EXPECT_GT(receipt.events, 0);
  EXPECT_EQ(receipt.forced(), 0);
}

struct Kept {
  const char* fixture;
  Kind kind;
};

class UnloadKept : public testing::TestWithParam<Kept> {};

TEST_P(UnloadKept, ForcesOutTheOneThingAndUnmaps) {
  PluginRun run;

  const ledger::Receipt receipt = receipt_of(run, GetParam().fixture);

  EXPECT_EQ(receipt.verdict, Verdict::kForced);
  EXPECT_TRUE(receipt.unmapped) << receipt.why_mapped;
  EXPECT_EQ(receipt.forced(), 1);
  EXPECT_EQ(receipt.tallies[ledger::index_of(GetParam().kind)].forced, 1);
  EXPECT_EQ(run.files(), 0u);
}

INSTANTIATE_TEST_SUITE_P(EachKind, UnloadKept,
                         testing::Values(Kept{"keeps_tensor", Kind::kTensor}, Kept{"keeps_mask", Kind::kMask},
                                         Kept{"keeps_file", Kind::kFile}, Kept{"keeps_job", Kind::kJob},
                                         Kept{"keeps_hook", Kind::kHook}),
                         [](const auto& info) { return std::string(info.param.fixture); });

TEST(Unload, GivesAKeptTensorsMemoryBack) {
  ledger::count_cpu_memory();
  PluginRun warm_up, run;
  receipt_of(warm_up, "keeps_tensor");
  ASSERT_TRUE(run.load(fixture("keeps_tensor")).ok());
  ASSERT_TRUE(run.fit().ok());
  run.trainer().metrics().clear();
  const ledger::CpuMemory before = ledger::cpu_memory();

  const ledger::Receipt receipt = run.unload();

  EXPECT_EQ(ledger::cpu_memory().allocations, before.allocations - 1);
  EXPECT_GE(before.bytes - ledger::cpu_memory().bytes, receipt.forced_bytes());
  EXPECT_GT(receipt.forced_bytes(), 0);
}

TEST(Unload, EndsAKeptMaskAndItsZerosTrainOn) {
  PluginRun run;
  ASSERT_TRUE(run.load(fixture("keeps_mask")).ok());
  ASSERT_TRUE(run.fit().ok());
  ASSERT_TRUE(run.model->masks()->any());

  run.unload();

  EXPECT_FALSE(run.model->masks()->any());
}

TEST(Unload, OfAModelsMasksAfterTheModelIsGoneForcesNothing) {
  PluginRun run;
  ASSERT_TRUE(run.load(fixture("keeps_mask")).ok());
  ASSERT_TRUE(run.fit().ok());
  run.model.reset();

  const ledger::Receipt receipt = run.unload();

  EXPECT_EQ(receipt.forced(), 0);
  EXPECT_EQ(receipt.verdict, Verdict::kClean);
}

TEST(Unload, EndsAKeptHookSoThatTheNextBackwardPassDoesNotCallIt) {
  PluginRun run;
  receipt_of(run, "keeps_hook");

  ASSERT_TRUE(run.load(fixture("clean")).ok());
  const Status fitted = run.fit();

  EXPECT_TRUE(fitted.ok()) << fitted.message();
}

TEST(Unload, QuarantinesAPluginWhoseThreadRunsOn) {
  PluginRun run;

  const ledger::Receipt receipt = receipt_of(run, "keeps_thread");

  EXPECT_EQ(receipt.verdict, Verdict::kQuarantined);
  EXPECT_FALSE(receipt.unmapped);
  EXPECT_NE(receipt.why_mapped.find("thread"), std::string::npos) << receipt.why_mapped;
}

TEST(Unload, OfAQuarantinedPluginLoadsAFreshCopyNextTime) {
  PluginRun run;
  receipt_of(run, "keeps_thread");

  const Status loaded = run.load(fixture("keeps_thread"));

  EXPECT_TRUE(loaded.ok()) << loaded.message();
}

TEST(Unload, QuarantinesAPluginWhoseJobNeverEndsAndOnlyThatOne) {
  PluginRun stuck, waiting;
  ASSERT_TRUE(stuck.load(fixture("stuck_job")).ok());
  ASSERT_TRUE(waiting.load(fixture("keeps_job")).ok());
  ASSERT_TRUE(stuck.fit().ok());
  ASSERT_TRUE(waiting.fit().ok());

  const ledger::Receipt behind = waiting.unload();  // its job waits behind the other's
  const ledger::Receipt receipt = stuck.unload();
  const ledger::Receipt after = receipt_of(waiting, "keeps_job");

  EXPECT_EQ(behind.verdict, Verdict::kForced);
  EXPECT_EQ(receipt.verdict, Verdict::kQuarantined);
  EXPECT_NE(receipt.why_mapped.find("job"), std::string::npos) << receipt.why_mapped;
  EXPECT_EQ(after.verdict, Verdict::kForced);
}

TEST(Unload, WaitsForAJobThatShutdownBeganBeforeTheCodeGoes) {
  PluginRun run;

  const ledger::Receipt receipt = receipt_of(run, "job_in_shutdown");

  EXPECT_EQ(receipt.verdict, Verdict::kQuarantined);
  EXPECT_NE(receipt.why_mapped.find("job"), std::string::npos) << receipt.why_mapped;
}

TEST(Unload, OfAPluginThatCouldNotBeMadeLeavesItsRunningJobsCodeMapped) {
  PluginRun run;

  const Status loaded = run.load(fixture("job_in_create"));

  EXPECT_EQ(loaded.code(), Code::kPlugin);  // and the process lives
}

TEST(Unload, WithoutPatienceQuarantinesAtOnce) {
  PluginRun run;
  run.environment.unload_timeout_ns = 0;

  const ledger::Receipt receipt = receipt_of(run, "stuck_job");

  EXPECT_EQ(receipt.verdict, Verdict::kQuarantined);
}

struct Pinned {
  const char* fixture;
  const char* cause;
};

class UnloadPinned : public testing::TestWithParam<Pinned> {};

TEST_P(UnloadPinned, QuarantinesAndNamesTheCause) {
  PluginRun run;
  ASSERT_TRUE(run.load(fixture(GetParam().fixture)).ok());
  ASSERT_TRUE(run.fit().ok());

  const ledger::Receipt receipt = run.unload();

  EXPECT_EQ(receipt.verdict, Verdict::kQuarantined);
  EXPECT_NE(receipt.why_mapped.find(GetParam().cause), std::string::npos) << receipt.why_mapped;
}

INSTANTIATE_TEST_SUITE_P(EachCause, UnloadPinned,
                         testing::Values(Pinned{"unique_symbol", "unique"}, Pinned{"nodelete", "NODELETE"},
                                         Pinned{"thread_local_destructor", "thread"}),
                         [](const auto& info) { return std::string(info.param.fixture); });

}  // namespace
}  // namespace mortise
