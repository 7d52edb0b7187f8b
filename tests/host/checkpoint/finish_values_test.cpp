#include "host/checkpoint/finish_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mortise::checkpoint {
namespace {

using testing::StartsWith;

TEST(FinishValues, TakesKeysForEqualThatPythonDoes) {
  const struct {
    Value one, other;
    bool equal;
  } kCases[] = {
      {1, 1.0, true},
      {1, true, true},
      {0, false, true},
      {"1", 1, false},
      {1.5, 1, false},
      {{}, 0, false},
      {"a", "a", true},
      {"a", Bytes{"a"}, false},
      {Tuple{{1}}, Tuple{{1.0}}, true},
      {Tuple{}, Tuple{{1}}, false},
      {Tuple{{"a", "b"}}, Tuple{{"ab"}}, false},
  };
  for (const auto& row : kCases) {
    const Value value = Dict{Dict::Kind::kDict, {{row.one, "first"}, {row.other, "second"}}, {}};

    ASSERT_TRUE(finish_values({value}).ok());

    EXPECT_EQ(value.as<Dict>()->items.size(), row.equal ? 1U : 2U) << *key_text(row.one);
    EXPECT_EQ(*value.as<Dict>()->items.back().second.as<std::string>(), "second");
  }
}

TEST(FinishValues, RefusesKeysThatCannotBeHashed) {
  for (const Value& key : {Value(List{}), Value(Dict{}), Value(Tuple{{List{}}})}) {
    const Status status = finish_values({Dict{Dict::Kind::kDict, {{key, 1}}, {}}});

    EXPECT_THAT(status.message(), StartsWith("corrupt: a dict with a"));
  }
}

TEST(FinishValues, FindsCyclesThroughEveryKindOfContainer) {
  const auto list = std::make_shared<List>();
  const Value kAround[] = {
      Tuple{{list}},
      Dict{Dict::Kind::kDict, {{1, list}}, {}},
      Dict{Dict::Kind::kOrderedDict, {}, Dict{Dict::Kind::kDict, {{"a", list}}, {}}},
      Object{"argparse", "Namespace", true, {}, list, {}, {}},
      Object{"builtins", "set", true, {}, {}, {list}, {}},
  };
  for (const Value& around : kAround) {
    list->items = {around};

    EXPECT_THAT(finish_values({list, around}).message(), StartsWith("unsupported: ")) << kind_of(around);

    take_apart({list, around});
    EXPECT_TRUE(list->items.empty());
  }
}

TEST(FinishValues, AllowsNestingAHundredDeepAndTwiceTheSamePart) {
  Value value = List{};
  std::vector<Value> made{value};
  for (int i = 0; i < 100; ++i) {
    value = List{{value, value}};
    made.push_back(value);
  }

  EXPECT_TRUE(finish_values(made).ok());
}

}  // namespace
}  // namespace mortise::checkpoint
