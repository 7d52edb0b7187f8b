#include "host/report/terminal_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <thread>

#include "tests/host/report/screen.h"

namespace mortise::report {
namespace {

using ::testing::ElementsAre;

class TerminalLogTest : public ::testing::Test {
 protected:
  FakeClock clock_;
  std::ostringstream out_;
  ProgressBar bar_{out_, clock_, Progress::kBar, [] { return size_t{48}; }};
};

TEST_F(TerminalLogTest, PutsTheLevelInFront) {
  TerminalLog log(bar_, Level::kDebug, false);

  log.debug("d");
  log.info("i");
  log.warning("w");
  log.error("e");

  EXPECT_EQ(out_.str(), "debug: d\ni\nwarning: w\nerror: e\n");
}

TEST_F(TerminalLogTest, DropsWhatIsBelowTheLeastLevel) {
  TerminalLog log(bar_, Level::kWarning, false);

  log.info("i");
  log.warning("w");

  EXPECT_EQ(out_.str(), "warning: w\n");
}

TEST_F(TerminalLogTest, ColoursOnlyTheWord) {
  TerminalLog log(bar_, Level::kInfo, true);

  log.warning("w");

  EXPECT_EQ(out_.str(), "\033[33mwarning:\033[0m w\n");
}

TEST_F(TerminalLogTest, WritesAboveTheBar) {
  TerminalLog log(bar_, Level::kInfo, false);
  bar_.begin("Epoch 0", 10);

  log.warning("w");

  EXPECT_THAT(seen(out_.str()), ElementsAre("warning: w", "Epoch 0:   0%|          | 0/10 [00:00<?, ?it/s]"));
}

TEST_F(TerminalLogTest, KeepsLinesWholeFromManyThreads) {
  TerminalLog log(bar_, Level::kInfo, false);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&log] {
      for (int k = 0; k < 100; ++k) log.info("whole");
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::string expected;
  for (int i = 0; i < 400; ++i) expected += "whole\n";
  EXPECT_EQ(out_.str(), expected);
}

}  // namespace
}  // namespace mortise::report
