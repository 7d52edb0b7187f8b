#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "host/config/run_config.h"
#include "host/config/value_text.h"

namespace mortise::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<Setting> kSettings = {
    {.key = "flag", .type = Type::kBool, .default_value = "false"},
    {.key = "count", .type = Type::kInt, .default_value = "3", .unit = "epochs", .min = -1, .max = 10},
    {.key = "every", .type = Type::kInt, .default_value = "1", .unsettable = true},
    {.key = "rate", .type = Type::kDouble, .min = 0},
    {.key = "free", .type = Type::kDouble, .min = std::nan(""), .max = std::nan("")},
    {.key = "amount", .type = Type::kNumber, .default_value = "1.0", .min = 0},
    {.key = "name", .type = Type::kString},
    {.key = "mode",
     .type = Type::kEnum,
     .default_value = "norm",
     .choices = {"norm", "value"},
     .aliases = {{"2", "norm"}}},
    {.key = "folders", .type = Type::kPath},
    {.key = "parts", .type = Type::kList},
};

Result<Values> make(const std::string& key, const std::string& text, const std::string& origin = "command line") {
  return Values::make(kSettings, {{key, {text, origin}}}, "");
}

Values must_make(const std::string& key, const std::string& text) {
  Result<Values> values = make(key, text);
  EXPECT_TRUE(values.ok()) << values.status().message();
  return values.ok() ? *values : Values();
}

TEST(Values, CompletesWithDefaults) {
  const Result<Values> values = Values::make(kSettings, {}, "");

  ASSERT_TRUE(values.ok());
  EXPECT_EQ(values->integer("count"), 3);
  EXPECT_EQ(values->given("count").origin, "default");
  EXPECT_FALSE(values->flag("flag"));
  EXPECT_FALSE(values->has("rate"));
  EXPECT_THAT(values->list("parts"), IsEmpty());
}

TEST(Values, ReadsEveryType) {
  EXPECT_TRUE(must_make("flag", "yes").flag("flag"));
  EXPECT_EQ(must_make("count", "+7").integer("count"), 7);
  EXPECT_DOUBLE_EQ(must_make("rate", "1e-8").real("rate"), 1e-8);
  EXPECT_EQ(must_make("amount", "1").number("amount"), Number(int64_t{1}));
  EXPECT_EQ(must_make("amount", "1.0").number("amount"), Number(1.0));
  EXPECT_EQ(must_make("amount", "1e2").number("amount"), Number(100.0));
  EXPECT_EQ(must_make("name", " valid_loss 3 ").text("name"), "valid_loss 3");
  EXPECT_EQ(must_make("mode", "value").text("mode"), "value");
  EXPECT_THAT(must_make("folders", "a,b:c").list("folders"), ElementsAre("a,b", "c"));
  EXPECT_THAT(must_make("parts", "a, b=c:d").list("parts"), ElementsAre("a", "b=c:d"));
}

TEST(Values, KeepsOneSpelling) {
  for (const char* text : {"true", "yes", "on", "1", "True"}) EXPECT_EQ(must_make("flag", text).text("flag"), "true");
  for (const char* text : {"false", "no", "off", "0"}) EXPECT_EQ(must_make("flag", text).text("flag"), "false");
  EXPECT_EQ(must_make("mode", "2").text("mode"), "norm");
  EXPECT_EQ(must_make("parts", " a , b ").text("parts"), "a,b");
}

TEST(Values, LetsNoneUnsetANumberThatMayHaveNoValue) {
  EXPECT_FALSE(must_make("every", "none").has("every"));
  EXPECT_FALSE(must_make("rate", "none").has("rate"));
  EXPECT_TRUE(must_make("name", "none").has("name"));
  EXPECT_FALSE(make("count", "none").ok()) << "who reads it counts on its default";
}

TEST(Values, AcceptsNanAndInfinityWhereNothingIsBounded) {
  EXPECT_TRUE(std::isnan(must_make("free", "nan").real("free")));
  EXPECT_TRUE(std::isinf(must_make("free", "-inf").real("free")));
  EXPECT_FALSE(make("rate", "nan").ok());
}

TEST(Values, SaysWhatIsAllowed) {
  const struct {
    const char* key;
    const char* text;
    const char* message;
  } cases[] = {
      {"count", "ten", "--count: 'ten' is not a whole number"},
      {"count", "1.5", "--count: '1.5' is not a whole number"},
      {"count", "", "--count: '' is not a whole number"},
      {"count", "3x", "--count: '3x' is not a whole number"},
      {"count", "99999999999999999999", "--count: '99999999999999999999' is not a number of 64 bits"},
      {"count", "11", "--count: '11' is out of range: it must be from -1 to 10 epochs"},
      {"count", "-2", "--count: '-2' is out of range: it must be from -1 to 10 epochs"},
      {"rate", "fast", "--rate: 'fast' is not a number"},
      {"rate", "0,5", "--rate: '0,5' is not a number"},
      {"rate", "-0.1", "--rate: '-0.1' is out of range: it must be at least 0"},
      {"amount", "half", "--amount: 'half' is not a count such as 10 or a fraction such as 0.5"},
      {"flag", "maybe", "--flag: 'maybe' is neither true nor false"},
      {"mode", "nrom", "--mode: 'nrom' is not norm or value; did you mean 'norm'?"},
      {"parts", "a,,b", "--parts: 'a,,b' has an empty entry: write names with one comma between"},
      {"conut", "1", "--conut: unknown option; did you mean '--count'?"},
      {"zebra", "1", "--zebra: unknown option; 'mortise help' lists the options"},
  };
  for (const auto& c : cases) {
    const Result<Values> values = make(c.key, c.text);
    ASSERT_FALSE(values.ok()) << c.key << " = " << c.text;
    EXPECT_EQ(values.status().code(), Code::kUsage);
    EXPECT_EQ(values.status().message(), c.message);
  }
}

TEST(Values, NamesFileAndLineOfAValueFromARunFile) {
  EXPECT_EQ(make("count", "ten", "run.ini:3").status().message(), "run.ini:3: count: 'ten' is not a whole number");
  EXPECT_EQ(make("conut", "1", "run.ini:3").status().message(),
            "run.ini:3: conut: unknown option; did you mean 'count'?");
}

TEST(Values, WritesAPluginsOptionWithItsPrefix) {
  const Result<Values> bad = Values::make(kSettings, {{"count", {"x", "command line"}}}, "early_stopping.");
  EXPECT_THAT(bad.status().message(), HasSubstr("--early-stopping.count: 'x'"));

  const Result<Values> unknown = Values::make(kSettings, {{"zebra", {"x", "command line"}}}, "pruning.");
  EXPECT_THAT(unknown.status().message(), HasSubstr("this plugin has flag, count, every, rate"));

  const Result<Values> none = Values::make({}, {{"zebra", {"x", "command line"}}}, "pruning.");
  EXPECT_THAT(none.status().message(), HasSubstr("this plugin has no options"));
}

TEST(Values, RefusesABareOptionThatNeedsAValue) {
  const Given bare = {"true", "command line", true};

  EXPECT_TRUE(Values::make(kSettings, {{"flag", bare}}, "").ok());
  EXPECT_EQ(Values::make(kSettings, {{"name", bare}}, "a.").status().message(), "--a.name: needs a value");
}

TEST(Values, RefusesTheAbsenceOfARequiredOption) {
  const std::vector<Setting> settings = {{.key = "monitor", .help = "what is watched", .required = true}};

  EXPECT_EQ(Values::make(settings, {}, "best.").status().message(), "--best.monitor: is required; what is watched");
  EXPECT_TRUE(Values::make(settings, {{"monitor", {"x", "command line"}}}, "best.").ok());
}

TEST(Values, RefusesADefaultThatIsNoValue) {
  const std::vector<Setting> settings = {{.key = "count", .type = Type::kInt, .default_value = "many"}};

  EXPECT_EQ(Values::make(settings, {}, "a.").status().message(), "default: a.count: 'many' is not a whole number");
}

}  // namespace
}  // namespace mortise::config
