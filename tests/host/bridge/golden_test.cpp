// Plugins that were built with earlier headers and are kept as binaries (tests/golden): they load, train and unload.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "tests/support/plugin_request.h"
#include "tests/support/plugin_run.h"

namespace mortise::bridge {
namespace {

std::vector<std::string> kept_plugins() {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(MORTISE_SOURCE_DIR "/tests/golden"))
    if (entry.path().extension() == ".so") found.insert(entry.path().stem().string());
  return {found.begin(), found.end()};
}

class Golden : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const PluginRequest request = support::request_file(MORTISE_SOURCE_DIR "/tests/golden/" + GetParam() + ".so");
    ASSERT_TRUE(run_.load(request.file.path.string(), "", request.options).ok());
  }
  double metric(const std::string& name) {
    const auto found = run_.trainer().metrics().get("golden_" + name);
    return found ? found->value : -1;
  }
  support::PluginRun run_;
};

TEST_P(Golden, UsesItsServicesInAFit) {
  const Status status = run_.fit();

  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(metric("steps"), 6);
  EXPECT_EQ(metric("gradients"), 6);
  EXPECT_EQ(metric("epoch"), 1);
  EXPECT_EQ(metric("tensor"), 6);
  EXPECT_EQ(metric("parameters"), 2);
  EXPECT_EQ(metric("job"), 1);
  EXPECT_NE(run_.log.all.find("is done"), std::string::npos) << run_.log.all;
  EXPECT_TRUE(std::filesystem::exists(run_.folder() / (GetParam() + ".txt")));
}

TEST_P(Golden, LeavesNothingBehind) {
  ASSERT_TRUE(run_.fit().ok());

  const ledger::Receipt receipt = run_.unload();

  EXPECT_STREQ(ledger::verdict_name(receipt.verdict), "clean") << receipt.why_mapped;
  EXPECT_TRUE(receipt.unmapped) << receipt.why_mapped;
}

TEST_P(Golden, TakesItsStateOutOfACheckpointAgain) {
  ASSERT_TRUE(run_.fit().ok());
  PluginInstance& instance = *run_.plugins->instances().front();
  training::StateMap state;

  ASSERT_TRUE(instance.save_state(state, run_.trainer()).ok());
  EXPECT_EQ(training::find_number(state, "steps"), 6);

  state.set("steps", int64_t{100});
  ASSERT_TRUE(instance.load_state(state, run_.trainer()).ok());
  training::StateMap again;
  ASSERT_TRUE(instance.save_state(again, run_.trainer()).ok());
  EXPECT_EQ(training::find_number(again, "steps"), 100);
}

INSTANTIATE_TEST_SUITE_P(EachKeptPlugin, Golden, testing::ValuesIn(kept_plugins()),
                         [](const auto& given) { return given.param; });

}  // namespace
}  // namespace mortise::bridge
