#include "host/training/state_value.h"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

namespace mortise::training {
namespace {

TEST(StateMap, ReplacesAValueInItsPlace) {
  StateMap map;

  map.set("a", int64_t{1});
  map.set(int64_t{0}, 2.5);
  map.set("a", std::string("new"));

  ASSERT_EQ(map.items.size(), 2u);
  EXPECT_EQ(std::get<std::string>(map.items[0].second), "new");
  EXPECT_EQ(std::get<double>(*map.find(int64_t{0})), 2.5);
}

TEST(StateMap, TellsTextKeysFromIntegers) {
  StateMap map;

  map.set(int64_t{0}, true);

  EXPECT_EQ(map.find("0"), nullptr);
  EXPECT_NE(map.find(int64_t{0}), nullptr);
}

TEST(StateMap, ReadsNumbersOfAnyKind) {
  StateMap map;
  map.set("whole", int64_t{3});
  map.set("real", 0.5);
  map.set("tensor", at::full({}, 7.0));
  map.set("text", std::string("7"));

  EXPECT_EQ(find_number(map, "whole"), 3.0);
  EXPECT_EQ(find_number(map, "real"), 0.5);
  EXPECT_EQ(find_number(map, "tensor"), 7.0);
  EXPECT_EQ(find_number(map, "text"), std::nullopt);
  EXPECT_EQ(find_number(map, "missing"), std::nullopt);
}

TEST(StateMap, FindsChildrenOfTheRightKindOnly) {
  StateMap map;
  map.set("map", std::make_shared<StateMap>());
  map.set("list", std::make_shared<StateList>());
  map.set("flag", true);

  EXPECT_NE(find_map(map, "map"), nullptr);
  EXPECT_EQ(find_map(map, "list"), nullptr);
  EXPECT_NE(find_list(map, "list"), nullptr);
  EXPECT_EQ(find_flag(map, "flag"), true);
  EXPECT_EQ(find_flag(map, "map"), std::nullopt);
}

}  // namespace
}  // namespace mortise::training
