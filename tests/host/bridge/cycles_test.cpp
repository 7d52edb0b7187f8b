// A thousand times load and unload of the three built-in plugins: nothing may stay, and a cycle is quick.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "host/bridge/plugin_set.h"
#include "host/ledger/process_sample.h"
#include "host/loader/library.h"
#include "tests/support/plugin_request.h"
#include "tests/support/scripted_run.h"

namespace mortise {
namespace {

TEST(LoadAndUnload, AThousandTimesLeavesEverythingWhereItWasAndTakesUnderTwentyMillisecondsEach) {
  support::CollectingLog log;
  SteadyClock clock;
  const bridge::Environment environment{log, clock, "."};
  const std::vector<bridge::PluginRequest> requests = {
      support::request("pruning", {{"pruning_fn", std::string("l1_unstructured")}}), support::request("checkpoint"),
      support::request("early_stopping", {{"monitor", std::string("valid_loss")}})};
  std::vector<int64_t> cycle_ns;
  const auto cycle = [&] {
    const int64_t begin_ns = clock.now_ns();
    Result<bridge::PluginSet> plugins = bridge::PluginSet::load(requests, environment);
    ASSERT_TRUE(plugins.ok()) << plugins.status().message();
    for (const ledger::Receipt& receipt : plugins->unload())
      ASSERT_EQ(receipt.verdict, ledger::Verdict::kClean) << receipt.instance << ": " << receipt.why_mapped;
    cycle_ns.push_back(clock.now_ns() - begin_ns);
  };
  for (int i = 0; i < 20; ++i) cycle();
  const ledger::ProcessSample before = ledger::sample_process(nullptr, loader::Library::private_folder().c_str());
  cycle_ns.clear();
  cycle_ns.reserve(1000);

  for (int i = 0; i < 1000 && !HasFatalFailure(); ++i) cycle();

  const ledger::ProcessSample after = ledger::sample_process(nullptr, loader::Library::private_folder().c_str());
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.plugin_mappings, before.plugin_mappings);
  EXPECT_EQ(after.cpu.allocations, before.cpu.allocations);
  EXPECT_LE(after.heap_bytes - before.heap_bytes, 64 * 1024) << "a thousand cycles";
  std::nth_element(cycle_ns.begin(), cycle_ns.begin() + 500, cycle_ns.end());
  RecordProperty("median_us", std::to_string(cycle_ns[500] / 1000));
  EXPECT_LT(cycle_ns[500], 20'000'000);
}

}  // namespace
}  // namespace mortise
