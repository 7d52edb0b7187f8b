#include "host/report/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "host/report/paint.h"

namespace mortise::report {
namespace {

TEST(Terminal, IsNoneWhenOutputGoesToAFile) {
  const int descriptor = ::open("/dev/null", O_WRONLY | O_CLOEXEC);

  EXPECT_FALSE(is_terminal(descriptor));
  EXPECT_EQ(terminal_width(descriptor), 80u);
  ::close(descriptor);
}

TEST(Terminal, IsColouredWhenAskedOrWhenItIsOne) {
  const struct {
    const char* choice;
    bool terminal;
    const char* no_color;
    bool expected;
  } cases[] = {
      {"always", false, "1", true},    {"never", true, nullptr, false}, {"auto", true, nullptr, true},
      {"auto", false, nullptr, false}, {"auto", true, "1", false},      {"auto", true, "", true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(wants_colour(c.choice, c.terminal, c.no_color), c.expected) << c.choice << c.terminal;
  }
}

TEST(Paint, AddsNothingUnlessAllowed) {
  EXPECT_EQ(painted("x", Colour::kRed, false), "x");
  EXPECT_EQ(painted("x", Colour::kPlain, true), "x");
  EXPECT_EQ(painted("", Colour::kRed, true), "");
  EXPECT_EQ(painted("x", Colour::kGreen, true), "\033[32mx\033[0m");
}

TEST(Paint, TellsGoodFromBadVerdicts) {
  EXPECT_EQ(verdict_colour("clean"), Colour::kGreen);
  EXPECT_EQ(verdict_colour("PASS"), Colour::kGreen);
  EXPECT_EQ(verdict_colour("forced"), Colour::kYellow);
  for (const char* bad : {"residue", "quarantined", "FAIL"}) EXPECT_EQ(verdict_colour(bad), Colour::kRed) << bad;
  EXPECT_EQ(verdict_colour("other"), Colour::kPlain);
}

}  // namespace
}  // namespace mortise::report
