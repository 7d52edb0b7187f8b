#include "host/report/soak_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace mortise::report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

SoakRow row(int64_t cycle, const std::string& verdict) {
  SoakRow out;
  out.cycle = cycle;
  out.seconds = 4.21;
  out.score = 0.8812;
  out.cpu_tensors = 62;
  out.cpu_bytes = 44774195;
  out.heap_bytes = cycle * (8 << 20);
  out.threads = 9;
  out.verdict = verdict;
  return out;
}

class SoakTableTest : public ::testing::Test {
 protected:
  std::ostringstream out_;
};

TEST_F(SoakTableTest, WritesEachRowAsItsCycleEnds) {
  SoakTable table(out_, false, false);

  table.add(row(1, "clean"));

  EXPECT_EQ(out_.str(),
            "                         ────── CPU ───────  ───────────────── process ─────────────────\n"
            "cycle     time    score  tensors      bytes       heap   resident  threads  files   maps  verdict\n"
            "─────  ───────  ───────  ───────  ─────────  ─────────  ─────────  ───────  ─────  ─────  ───────\n"
            "    1   4.21 s   0.8812       62   42.7 MiB    8.0 MiB        0 B        9      0      0  clean\n");
}

TEST_F(SoakTableTest, WritesTheHeaderOnce) {
  SoakTable table(out_, false, false);
  table.add(row(1, "clean"));
  const size_t before = out_.str().size();

  table.add(row(2, "clean"));

  EXPECT_THAT(out_.str().substr(before), Not(HasSubstr("cycle")));
}

TEST_F(SoakTableTest, HasColumnsOfTheGpuOnlyIfThereIsOne) {
  std::ostringstream with, without;
  SoakTable(with, true, false).add(row(1, "clean"));
  SoakTable(without, false, false).add(row(1, "clean"));

  EXPECT_THAT(with.str(), HasSubstr(" GPU "));
  EXPECT_THAT(with.str(), HasSubstr("in use"));
  EXPECT_THAT(without.str(), Not(HasSubstr("GPU")));
}

TEST_F(SoakTableTest, ShowsADashWhereThereIsNoScore) {
  SoakTable table(out_, false, false);
  SoakRow without = row(1, "clean");
  without.score.reset();

  table.add(without);

  EXPECT_THAT(out_.str(), HasSubstr("        -  "));
}

TEST_F(SoakTableTest, EndsWithFindingsCoursesAndASentence) {
  SoakTable table(out_, false, false);
  for (int64_t cycle = 1; cycle <= 8; ++cycle) table.add(row(cycle, "clean"));

  table.judge({{"threads", "equal to cycle 2", true, "9 in every cycle"},
               {"heap", "slope at most 4.0 KiB a cycle", false, "rises by 8.0 MiB a cycle"}});

  EXPECT_THAT(out_.str(), HasSubstr("threads   equal to cycle 2               PASS  9 in every cycle\n"
                                    "heap      slope at most 4.0 KiB a cycle  FAIL  rises by 8.0 MiB a cycle\n"));
  EXPECT_THAT(out_.str(), HasSubstr("heap          ▁▂▃▄▅▆▇█  8.0 MiB to 64.0 MiB\n"));
  EXPECT_THAT(out_.str(), EndsWith("\n8 of 8 cycles clean: something was left behind, see heap.\n"));
}

TEST_F(SoakTableTest, SaysInOneSentenceWhatWasLeft) {
  const JudgementRow good = {"threads", "", true, ""};
  const JudgementRow bad = {"threads", "", false, ""};
  const struct {
    std::vector<std::string> verdicts;
    std::vector<JudgementRow> findings;
    const char* sentence;
  } cases[] = {
      {{"clean", "clean"}, {good}, "2 of 2 cycles clean: nothing was left behind."},
      {{"clean", "forced"}, {good}, "1 of 2 cycles clean, 1 forced: nothing was left behind."},
      {{"clean", "residue"}, {good}, "1 of 2 cycles clean, 1 residue: something was left behind."},
      {{"quarantined", "residue"}, {}, "0 of 2 cycles clean, 1 residue, 1 quarantined: something was left behind."},
      {{"clean"}, {bad, good}, "1 of 1 cycles clean: something was left behind, see threads."},
  };
  for (const auto& c : cases) {
    SoakTable table(out_, true, false);
    for (const std::string& verdict : c.verdicts) table.add(row(1, verdict));
    EXPECT_EQ(table.sentence(c.findings), c.sentence);
  }
}

TEST_F(SoakTableTest, JudgesEvenIfNoCycleEnded) {
  SoakTable table(out_, true, true);

  table.judge({});

  EXPECT_THAT(out_.str(), EndsWith("0 of 0 cycles clean: nothing was left behind.\n"));
}

}  // namespace
}  // namespace mortise::report
