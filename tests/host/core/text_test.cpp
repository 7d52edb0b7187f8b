#include "host/core/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mortise {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Utf8, AcceptsWhatRfc3629Allows) {
  for (const char* text : {"", "plain", "gr\u00fc\u00dfe", "\u6f22\u5b57", "\U0001F600", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(valid_utf8(text)) << text;
  }
}

TEST(Utf8, RefusesBrokenBytes) {
  const std::string cases[] = {
      "\x80",              // a continuation alone
      "a\xC3",             // cut
      "\xC0\xAF",          // overlong
      "\xE0\x80\xAF",      // overlong, three bytes
      "\xF0\x80\x80\xAF",  // overlong, four bytes
      "\xED\xA0\x80",      // surrogate
      "\xF4\x90\x80\x80",  // above U+10FFFF
      "\xFF",
      "\xE2\x28\xA1",  // a second byte that is none
  };
  for (const std::string& text : cases) EXPECT_FALSE(valid_utf8(text)) << testing::PrintToString(text);
}

TEST(Text, CountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("\u2581\u2588"), 2u);
  EXPECT_EQ(display_width("\u6f22\u5b57"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("\xFF"), 1u);
}

TEST(Text, PadsByColumns) {
  EXPECT_EQ(pad_right("\u00e4", 3), "\u00e4  ");
  EXPECT_EQ(pad_left("\u6f22", 3), " \u6f22");
  EXPECT_EQ(pad_left("long", 2), "long");
}

TEST(Text, CropsWithAnEllipsis) {
  EXPECT_EQ(crop("checkpoint", 10), "checkpoint");
  EXPECT_EQ(crop("checkpoint", 6), "check\u2026");
  EXPECT_EQ(crop("\u6f22\u5b57\u6f22", 4), "\u6f22\u2026") << "half a wide letter is none";
  EXPECT_EQ(crop("ab", 0), "");
}

TEST(Text, SplitsAndJoins) {
  EXPECT_EQ(split(" a, b ,,c", ','), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_TRUE(split("  ", ',').empty());
  EXPECT_EQ(join({"a", "b"}, "-"), "a-b");
  EXPECT_EQ(join_or({"a"}), "a");
  EXPECT_EQ(join_or({"a", "b", "c"}), "a, b or c");
  EXPECT_EQ(join_or({}), "");
}

TEST(Text, WritesBytesInPowersOf1024) {
  const struct {
    int64_t bytes;
    const char* text;
  } cases[] = {{0, "0 B"},
               {1023, "1023 B"},
               {1024, "1.0 KiB"},
               {1024 * 1024 - 1, "1.0 MiB"},
               {44774195, "42.7 MiB"},
               {-2048, "-2.0 KiB"},
               {int64_t{3} << 40, "3.0 TiB"},
               {std::numeric_limits<int64_t>::max(), "8.0 EiB"}};
  for (const auto& c : cases) EXPECT_EQ(human_bytes(c.bytes), c.text);
}

TEST(Text, WritesDurationsWithTheUnitThatFits) {
  const struct {
    double seconds;
    const char* text;
  } cases[] = {{0, "0 us"},        {850e-6, "850 us"}, {0.0123, "12.3 ms"}, {0.25, "250 ms"},
               {0.9999, "1.00 s"}, {4.214, "4.21 s"},  {42, "42.0 s"},      {59.99, "1:00"},
               {187, "3:07"},      {3753, "1:02:33"},  {-1, "?"},           {kInf, "?"}};
  for (const auto& c : cases) EXPECT_EQ(human_duration(c.seconds), c.text) << c.seconds;
}

TEST(Text, WritesClockTimes) {
  EXPECT_EQ(clock_time(12.4), "00:12");
  EXPECT_EQ(clock_time(3753), "1:02:33");
  EXPECT_EQ(clock_time(kInf), "?");
}

TEST(Text, WritesNumbersWithAPointInEveryLocale) {
  EXPECT_EQ(fixed(1234.5678, 2), "1234.57");
  EXPECT_EQ(fixed(std::nan(""), 2), "nan");
  EXPECT_EQ(fixed(-std::nan(""), 2), "nan");
  EXPECT_EQ(compact(-std::nan(""), 5), "nan");
  EXPECT_EQ(fixed(-kInf, 1), "-inf");
  EXPECT_EQ(fixed(1e300, 1).size(), 303u);
  EXPECT_EQ(compact(0.41200001, 3), "0.412");
  EXPECT_EQ(compact(3, 4), "3");
  EXPECT_EQ(compact(1e-8, 3), "1e-08");
}

TEST(CropFront, KeepsTheEndInSoManyColumns) {
  EXPECT_EQ(crop_front("layer.weight", 12), "layer.weight");
  EXPECT_EQ(crop_front("layer.weight", 7), "…weight");
  EXPECT_EQ(crop_front("名前.weight", 9), "….weight");
  EXPECT_EQ(crop_front("layer", 1), "…");
  EXPECT_EQ(crop_front("layer", 0), "");
}

}  // namespace
}  // namespace mortise
