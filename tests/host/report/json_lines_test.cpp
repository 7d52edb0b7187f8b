#include "host/report/json_lines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace mortise::report {
namespace {

std::string written(const nlohmann::ordered_json& object) {
  std::ostringstream out;
  JsonLines(out).write(object);
  return out.str();
}

TEST(JsonLines, WriteOneObjectALineInOrder) {
  EXPECT_EQ(written({{"cycle", 1}, {"a", {{"b", true}}}, {"text", "two\nlines"}}),
            "{\"cycle\":1,\"a\":{\"b\":true},\"text\":\"two\\nlines\"}\n");
}

TEST(JsonLines, WriteNullForWhatIsNoNumber) { EXPECT_EQ(written({{"loss", std::nan("")}}), "{\"loss\":null}\n"); }

TEST(JsonLines, ReplaceBrokenBytes) { EXPECT_EQ(written({{"path", "a\xFF"}}), "{\"path\":\"a\uFFFD\"}\n"); }

TEST(JsonLines, CanBeReadBack) {
  const nlohmann::ordered_json object = {{"score", 0.1}, {"bytes", 44774195}, {"none", nullptr}};

  EXPECT_EQ(nlohmann::ordered_json::parse(written(object)), object);
}

}  // namespace
}  // namespace mortise::report
