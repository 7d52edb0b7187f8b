// A thousand times load and unload of the three built-in plugins: nothing may stay, and a cycle is quick.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "host/bridge/plugin_set.h"
#include "host/ledger/process_sample.h"
#include "host/loader/library.h"
#include "tests/support/scripted_run.h"

namespace mortise {
namespace {

bridge::PluginRequest request(const std::string& id, bridge::OptionValues options) {
  return {*loader::inspect(MORTISE_BINARY_DIR "/lib/mortise/plugins/" + id + ".so"), id, std::move(options)};
}

// Every option with its default, some with a value.
bridge::OptionValues values(const std::string& id, std::vector<bridge::OptionEntry> given) {
  const auto description = bridge::describe(*loader::inspect(MORTISE_BINARY_DIR "/lib/mortise/plugins/" + id + ".so"));
  bridge::OptionValues all;
  for (const bridge::OptionSpec& spec : description->options) {
    const auto found =
        std::find_if(given.begin(), given.end(), [&](const auto& entry) { return entry.key == spec.key; });
    bridge::OptionValue value;
    if (found != given.end()) {
      value = found->value;
    } else if (spec.default_value) {
      const std::string& text = *spec.default_value;
      switch (spec.type) {
        case MORTISE_OPTION_BOOL:
          value = text == "true";
          break;
        case MORTISE_OPTION_INT:
          value = int64_t{std::stoll(text)};
          break;
        case MORTISE_OPTION_DOUBLE:
        case MORTISE_OPTION_NUMBER:
          value = std::stod(text);
          break;
        case MORTISE_OPTION_LIST:
          value = std::vector<std::string>{"weight", "bias"};
          break;
        default:
          value = text;
      }
    }
    all.entries.push_back({spec.key, std::move(value)});
  }
  return all;
}

TEST(LoadAndUnload, AThousandTimesLeavesEverythingWhereItWasAndTakesUnderTwentyMillisecondsEach) {
  support::CollectingLog log;
  SteadyClock clock;
  const bridge::Environment environment{log, clock, "."};
  const std::vector<bridge::PluginRequest> requests = {
      request("pruning", values("pruning", {{"pruning_fn", std::string("l1_unstructured")}})),
      request("checkpoint", values("checkpoint", {})),
      request("early_stopping", values("early_stopping", {{"monitor", std::string("valid_loss")}}))};
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
