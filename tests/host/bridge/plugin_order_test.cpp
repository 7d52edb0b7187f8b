// In which order plugins are called.
#include "host/bridge/plugin_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/core/text.h"
#include "tests/support/plugin_run.h"

namespace mortise {
namespace {

using bridge::Placed;
using support::PluginRun;
using testing::ElementsAre;
using testing::HasSubstr;

using Names = std::vector<std::string>;

Placed plugin(const std::string& instance, Names before = {}, Names after = {}, int32_t priority = 0,
              bool checkpointing = false) {
  return {instance, "id_" + instance, {checkpointing, priority, std::move(before), std::move(after)}};
}

struct Case {
  const char* what;
  std::vector<Placed> list;
  const char* order;
};

const Case kCases[] = {
    {"nobody asks for anything", {plugin("b"), plugin("a"), plugin("c")}, "b a c"},
    {"before", {plugin("a"), plugin("b"), plugin("c", {"a"})}, "b c a"},
    {"after", {plugin("a", {}, {"c"}), plugin("b"), plugin("c")}, "b c a"},
    {"by id", {plugin("a"), plugin("b", {"id_a"})}, "b a"},
    {"a chain", {plugin("a", {}, {"b"}), plugin("b", {}, {"c"}), plugin("c", {}, {"d"}), plugin("d")}, "d c b a"},
    {"both say the same", {plugin("a", {}, {"b"}), plugin("b", {"a"})}, "b a"},
    {"names that are not there", {plugin("a", {"x"}, {"y"}), plugin("b")}, "a b"},
    {"priority outranks", {plugin("a", {"b"}, {}, 5), plugin("b")}, "b a"},
    {"checkpointing outranks", {plugin("a", {"b"}, {}, -5, true), plugin("b")}, "b a"},
    {"within one priority of checkpointing ones",
     {plugin("a", {}, {}, 0, true), plugin("b", {"a"}, {}, 0, true), plugin("c", {}, {}, -1, true)},
     "c b a"},
    {"both instances of an id", {{"x", "id", {}}, {"y", "id", {}}, plugin("a", {"id"})}, "a x y"},
    {"none", {}, ""},
};

TEST(PluginOrder, IsPriorityThenBeforeAndAfterThenTheList) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.what);

    const Result<std::vector<size_t>> order = bridge::call_order(one.list);

    ASSERT_TRUE(order.ok()) << order.status().message();
    Names names;
    for (const size_t index : *order) names.push_back(one.list[index].instance);
    EXPECT_EQ(join(names, " "), one.order);
  }
}

TEST(PluginOrder, NamesACircleWithThoseWhoAskForIt) {
  const Result<std::vector<size_t>> order = bridge::call_order(
      {plugin("outside", {}, {"a"}), plugin("a", {"b"}), plugin("b", {"c"}), plugin("c"), plugin("d", {"a"}, {"c"})});

  EXPECT_EQ(order.status().code(), Code::kUsage);
  EXPECT_EQ(order.status().message(),
            "the plugins cannot be put in order: 'a' before 'b', as 'a' asks; 'b' before 'c', as 'b' asks; 'c' before "
            "'d', as 'd' asks; 'd' before 'a', as 'd' asks");
}

TEST(PluginOrder, RefusesAPluginThatNamesItself) {
  for (const char* name : {"a", "id_a"}) {
    const Result<std::vector<size_t>> order = bridge::call_order({plugin("a", {}, {name}), plugin("b")});

    EXPECT_EQ(order.status().code(), Code::kUsage);
    EXPECT_EQ(order.status().message(),
              std::string("plugin 'a' asks to be called after '") + name + "', which it is itself");
  }
}

TEST(PluginOrder, OfTwoRealPluginsIsKeptInARun) {
  for (const bool first_first : {false, true}) {
    PluginRun run;
    const std::pair<std::string, std::string> first{"goes_first", ""}, after{"goes_after", ""};
    ASSERT_TRUE(run.load_fixtures(first_first ? std::vector{first, after} : std::vector{after, first}).ok());

    ASSERT_TRUE(run.fit().ok());

    EXPECT_THAT(run.log.all, HasSubstr("goes_first: is called\ngoes_after: is called\n"));
    EXPECT_EQ(run.plugins->unload().front().plugin, first_first ? "goes_first" : "goes_after");
  }
}

TEST(PluginOrder, ThatIsACircleIsRefusedAtLoad) {
  PluginRun run;

  const Status loaded = run.load_fixtures({{"goes_after", "late"}, {"goes_first", "early"}});

  EXPECT_EQ(loaded.code(), Code::kUsage);
  EXPECT_THAT(loaded.message(), HasSubstr("'late' before 'early', as 'late' asks; 'early' before 'late', as"));
}

TEST(PluginOrder, IsInADescriptionAndEmptyForAShorterDescriptor) {
  const auto description = bridge::describe(*loader::inspect(support::fixture("goes_after")));
  mortise_plugin_t older = {};
  older.struct_size = offsetof(mortise_plugin_t, state_version);
  const mortise_str_t name = {"x", 1};
  older.before = {&name, 1, sizeof name};

  ASSERT_TRUE(description.ok());
  EXPECT_THAT(description->order.before, ElementsAre("early"));
  EXPECT_THAT(description->order.after, ElementsAre("goes_first"));
  EXPECT_TRUE(bridge::wishes_of(older).before.empty());
}

}  // namespace
}  // namespace mortise
