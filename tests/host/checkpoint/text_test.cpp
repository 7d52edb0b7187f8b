#include "host/checkpoint/text.h"

#include <gtest/gtest.h>

namespace mortise::checkpoint {
namespace {

TEST(Text, KnowsUtf8FromWhatIsNone) {
  const struct {
    std::string text;
    bool strict, with_surrogates;
  } kCases[] = {
      {"", true, true},
      {"plain", true, true},
      {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x8f\xa0", true, true},
      {"\xf4\x8f\xbf\xbf", true, true},    // U+10FFFF
      {"\xed\xa0\x80", false, true},       // a lone surrogate
      {"\xf4\x90\x80\x80", false, false},  // above U+10FFFF
      {"\xc0\x80", false, false},          // NUL in two bytes
      {"\xe0\x80\xaf", false, false},      // too long a form
      {"\xf0\x80\x80\xaf", false, false},
      {"\xff", false, false},
      {"\x80", false, false},
      {"\xe2\x82", false, false},  // cut
      {"\xe2\x28\xa1", false, false},
  };
  for (const auto& row : kCases) {
    EXPECT_EQ(is_utf8(row.text, false), row.strict) << printable(row.text);
    EXPECT_EQ(is_utf8(row.text, true), row.with_surrogates) << printable(row.text);
  }
}

TEST(Text, EveryByteSurvivesTheWayThroughUtf8) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);

  const std::string text = utf8_from_latin1(bytes);

  EXPECT_TRUE(is_utf8(text, false));
  EXPECT_EQ(latin1_from_utf8(text), bytes);
}

TEST(Text, CharactersBeyondLatin1AreNoBytes) {
  EXPECT_EQ(latin1_from_utf8("\xc4\x80"), std::nullopt);
  EXPECT_EQ(latin1_from_utf8("\xe2\x82\xac"), std::nullopt);
}

TEST(Text, IsPrintedWithoutControlCharactersAndNotWithoutEnd) {
  EXPECT_EQ(printable("a\n\x1b[2J\xff"), "a\\x0a\\x1b[2J\\xff");
  EXPECT_LT(printable(std::string(100000, 'x')).size(), 300U);
}

}  // namespace
}  // namespace mortise::checkpoint
