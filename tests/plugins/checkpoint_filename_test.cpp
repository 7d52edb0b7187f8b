#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "plugins/checkpoint/filename.h"

namespace checkpoint {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string render(const std::string& pattern, bool insert_names, const std::map<std::string, NameValue>& values) {
  std::vector<std::string> unknown;
  const auto lookup = [&](std::string_view name) {
    const auto found = values.find(std::string(name));
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  std::string text = FilenameTemplate(pattern, insert_names).render(lookup, unknown);
  for (const std::string& name : unknown) text += " unknown:" + name;
  return text;
}

const std::map<std::string, NameValue> kValues = {
    {"epoch", {3, true}}, {"step", {42, true}},          {"epoch_x", {0.5}}, {"loss", {0.25}}, {"val/loss", {1.5}},
    {"loss.val", {2.0}},  {"valid loss", {double{0.1f}}}};

TEST(CheckpointFilename, InsertsNamesBeforeValues) {
  const struct {
    const char* pattern;
    const char* with_names;
    const char* without;
  } kCases[] = {
      {"{epoch}-{step}", "epoch=3-step=42", "3-42"},
      {"e{epoch:03d}", "eepoch=003", "e003"},
      {"{epoch}-{epoch_x:.1f}", "epoch=3-epoch_x=0.5", "3-0.5"},
      {"{epoch}-{epoch}", "epoch=3-epoch=3", "3-3"},
      {"{val/loss:.2f}", "val/loss=1.50", "1.50"},
      {"{loss.val:.1f}", "loss.val=2.0", "2.0"},
      {"a b {valid loss:.2f}", "a b valid loss=0.10", "a b 0.10"},
      {"sub/best", "sub/best", "sub/best"},
  };
  for (const auto& test : kCases) {
    EXPECT_EQ(render(test.pattern, true, kValues), test.with_names);
    EXPECT_EQ(render(test.pattern, false, kValues), test.without);
  }
}

TEST(CheckpointFilename, WritesValuesAsTheirSpecSays) {
  const struct {
    const char* spec;
    NameValue value;
    const char* text;
  } kCases[] = {
      {"d", {7, true}, "7"},       {"02d", {7, true}, "07"},          {"04d", {-7, true}, "-007"},
      {"4d", {7, true}, "   7"},   {".2f", {0.125}, "0.12"},          {".2f", {0.375}, "0.38"},
      {".1f", {-0.25}, "-0.2"},    {".3e", {12345.678}, "1.235e+04"}, {"+.4f", {0.5}, "+0.5000"},
      {"+.4f", {-0.5}, "-0.5000"}, {"f", {1.5}, "1.500000"},          {"07.2f", {-1.5}, "-001.50"},
      {".2f", {kNan}, "nan"},      {".2f", {-kInfinity}, "-inf"},     {".1f", {3, true}, "3.0"},
      {".2f", {1e300}, nullptr},
  };
  for (const auto& test : kCases) {
    const std::string text = write_value(test.value, *parse_spec(test.spec));
    if (test.text == nullptr) {
      EXPECT_EQ(text.size(), 304u);  // all 301 digits before the point
    } else {
      EXPECT_EQ(text, test.text) << test.spec;
    }
  }
}

TEST(CheckpointFilename, WritesTheShortestTextThatReadsBackWithoutASpec) {
  const struct {
    double value;
    const char* text;
  } kCases[] = {{double{0.1f}, "0.10000000149011612"},
                {2.0, "2.0"},
                {-0.0, "-0.0"},
                {1e15, "1000000000000000.0"},
                {1e16, "1e+16"},
                {0.0001, "0.0001"},
                {0.00001, "1e-05"},
                {double{1e-7f}, "1.0000000116860974e-07"},
                {kNan, "nan"},
                {-kInfinity, "-inf"}};
  for (const auto& test : kCases) EXPECT_EQ(shortest(test.value), test.text);
}

TEST(CheckpointFilename, RefusesPatternsItCannotWrite) {
  for (const char* pattern : {"{epoch", "{}", "{:.2f}", "{epoch:x}", "{epoch:.2d}", "{epoch:.}", "{epoch:.99999f}",
                              "{epoch:>5d}", "{epoch:,}", "{epoch:2}"}) {
    EXPECT_THROW(FilenameTemplate(pattern, true), std::invalid_argument) << pattern;
  }
}

TEST(CheckpointFilename, NamesWhatIsUnknownAndWritesNan) {
  EXPECT_EQ(render("{epoch}-{acc:.2f}", true, kValues), "epoch=3-acc=nan unknown:acc");
}

TEST(CheckpointFilename, RefusesAFractionWhereAnIntegerIsAskedFor) {
  EXPECT_THROW(render("{loss:03d}", true, kValues), std::invalid_argument);
}

}  // namespace
}  // namespace checkpoint
