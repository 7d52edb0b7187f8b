#include "host/loader/plugin_folders.h"

#include <gmock/gmock.h>

#include "tests/host/loader/plugin_bench.h"

namespace mortise::loader {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> ids(const std::vector<PluginFile>& plugins) {
  std::vector<std::string> list;
  for (const PluginFile& plugin : plugins) list.push_back(plugin.id);
  return list;
}

TEST(PluginFolders, ListsPluginsById) {
  const TestFolder folder;
  folder.put_fixture("throws", "a.so");
  folder.put_fixture("clean", "b.so");
  folder.write("notes.txt", "no plugin");

  const auto found = find_plugins({folder.path()});

  ASSERT_TRUE(found.ok());
  EXPECT_THAT(ids(found->plugins), ElementsAre("clean", "throws"));
  EXPECT_TRUE(found->rejected.empty());
}

TEST(PluginFolders, KeepsTheFirstFoldersPluginOfTwoWithOneId) {
  const TestFolder first, second;
  const auto wanted = first.put_fixture("clean", "z.so");
  const auto hidden = second.put_fixture("clean", "a.so");

  const auto found = find_plugins({first.path(), second.path()});

  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->plugins.size(), 1u);
  EXPECT_EQ(found->plugins[0].path, wanted);
  ASSERT_EQ(found->shadowed.size(), 1u);
  EXPECT_EQ(found->shadowed[0].path, hidden);
}

TEST(PluginFolders, RejectsUnfitFilesWithTheirReasonsAndKeepsTheRest) {
  const TestFolder folder;
  folder.write("empty.so", "");
  folder.put_fixture("clean", "good.so");
  folder.put_fixture("no_note", "plain.so");

  const auto found = find_plugins({folder.path()});

  ASSERT_TRUE(found.ok());
  EXPECT_THAT(ids(found->plugins), ElementsAre("clean"));
  ASSERT_EQ(found->rejected.size(), 2u);
  EXPECT_THAT(found->rejected[0].why.message(), HasSubstr("empty.so: the file is empty"));
  EXPECT_THAT(found->rejected[1].why.message(), HasSubstr("plain.so: not a plugin"));
}

TEST(PluginFolders, RefusesAFolderThatDoesNotExist) {
  const auto found = find_plugins({"/no/such/folder"});

  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().code(), Code::kUsage);
  EXPECT_THAT(found.status().message(), HasSubstr("/no/such/folder"));
}

TEST(PluginFolders, FindsNothingInNoFolder) {
  const auto found = find_plugins({});

  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->plugins.empty());
}

TEST(PluginFolders, ChoosesById) {
  const TestFolder folder;
  const auto path = folder.put_fixture("clean", "under_another_name.so");
  const auto found = find_plugins({folder.path()});

  const auto plugin = choose(*found, "clean", {folder.path()});

  ASSERT_TRUE(plugin.ok());
  EXPECT_EQ(plugin->path, path);
}

TEST(PluginFolders, NamesTheNearestIdWhenOneIsUnknown) {
  const TestFolder folder;
  folder.put_fixture("clean", "clean.so");
  folder.put_fixture("throws", "throws.so");
  const auto found = find_plugins({folder.path()});

  const auto plugin = choose(*found, "claen", {folder.path()});

  ASSERT_FALSE(plugin.ok());
  EXPECT_EQ(plugin.status().code(), Code::kUsage);
  EXPECT_EQ(plugin.status().message(),
            "no plugin 'claen' in " + folder.path().string() + ", which holds clean, throws; did you mean 'clean'?");
}

TEST(PluginFolders, SuggestsNothingThatIsNotNear) {
  const TestFolder folder;
  folder.put_fixture("clean", "clean.so");
  const auto found = find_plugins({folder.path()});

  const auto plugin = choose(*found, "scheduler", {folder.path()});

  ASSERT_FALSE(plugin.ok());
  EXPECT_THAT(plugin.status().message(), Not(HasSubstr("did you mean")));
}

TEST(PluginFolders, SaysWhyTheFileOfThatNameWasRejected) {
  for (const char* name : {"broken.so", "libbroken.so"}) {
    const TestFolder folder;
    folder.put_fixture("no_entry", name);
    const auto found = find_plugins({folder.path()});

    const auto plugin = choose(*found, "broken", {folder.path()});

    ASSERT_FALSE(plugin.ok()) << name;
    EXPECT_EQ(plugin.status().code(), Code::kUsage);
    EXPECT_THAT(plugin.status().message(), HasSubstr("'broken' cannot be used"));
    EXPECT_THAT(plugin.status().message(), HasSubstr("does not export the entry function"));
  }
}

TEST(PluginFolders, SaysThatNothingWasSearchedOrFound) {
  const TestFolder folder;

  const auto nowhere = choose(Found{}, "clean", {});
  const auto nothing = choose(Found{}, "clean", {folder.path()});

  EXPECT_EQ(nowhere.status().message(), "no plugin 'clean': no plugin folder was searched");
  EXPECT_EQ(nothing.status().message(), "no plugin 'clean' in " + folder.path().string() + ", which holds none");
}

}  // namespace
}  // namespace mortise::loader
