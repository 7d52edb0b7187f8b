// Names of plugins, templates with words filled in, folders that appear whole or not at all.
#include "host/app/plugin_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "host/core/files.h"
#include "tests/support/temporary_folder.h"

namespace mortise::app {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(PluginName, OfLettersDigitsAndUnderscoresIsGood) {
  for (const std::string& name :
       {std::string("a"), std::string("my_plugin"), std::string("ema2"), std::string(63, 'x')})
    EXPECT_TRUE(check_plugin_name(name).ok()) << name;
}

struct BadName {
  const char* name;
  const char* word;  // of the message: the nearest right spelling, where there is one
  friend void PrintTo(const BadName& bad, std::ostream* out) { *out << "'" << bad.name << "'"; }
};

class BadPluginName : public testing::TestWithParam<BadName> {};

TEST_P(BadPluginName, IsAUsageErrorWithTheNearestRightSpelling) {
  const Status status = check_plugin_name(GetParam().name);

  EXPECT_EQ(status.code(), Code::kUsage);
  EXPECT_THAT(status.message(), HasSubstr("'" + std::string(GetParam().name) + "'"));
  EXPECT_THAT(status.message(), HasSubstr(GetParam().word));
}

INSTANTIATE_TEST_SUITE_P(
    EachKind, BadPluginName,
    testing::Values(BadName{"My-Plugin", "did you mean 'my_plugin'?"},
                    BadName{"my plugin!", "did you mean 'my_plugin'?"}, BadName{"2fast", "did you mean 'fast'?"},
                    BadName{"../up", "did you mean 'up'?"}, BadName{"_x", "did you mean 'x'?"}, BadName{"", "letters"},
                    BadName{"42", "begins with a letter"}, BadName{"Test", "lower case"},
                    BadName{"test", "'my_test' would do"}, BadName{"core", "'my_core' would do"},
                    BadName{"abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopqrstuvwxyz_abcdefghijk", "at most 63"}));

TEST(ClassName, HasACapitalForEachWord) {
  EXPECT_EQ(class_name("my_plugin"), "MyPlugin");
  EXPECT_EQ(class_name("ema"), "Ema");
  EXPECT_EQ(class_name("a__b2"), "AB2");
}

struct Folder : testing::Test {
  const support::TemporaryFolder root;
};

using FillTemplate = Folder;

TEST_F(FillTemplate, ReplacesWordsInTextsAndPaths) {
  root.write("template/src/@NAME@.c", "@NAME@ and @NAME@, a@b, @lower@ and @NAME");
  root.write("template/.gitignore", "build/\n");

  const Result<std::vector<TemplateFile>> files = fill_template(root / "template", {{"NAME", "ema"}});

  ASSERT_TRUE(files.ok()) << files.status().message();
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[0].path, ".gitignore");
  EXPECT_EQ((*files)[1].path, "src/ema.c");
  EXPECT_EQ((*files)[1].text, "ema and ema, a@b, @lower@ and @NAME");
}

TEST_F(FillTemplate, NamesAWordThatNobodyFillsIn) {
  root.write("template/a", "@CHEESE@");

  const Status status = fill_template(root / "template", {{"NAME", "ema"}}).status();

  EXPECT_EQ(status.code(), Code::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("@CHEESE@"));
}

TEST_F(FillTemplate, NamesAFolderThatIsNotThere) {
  const Status status = fill_template(root / "nowhere", {}).status();

  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("nowhere"));
}

using WriteFolder = Folder;

TEST_F(WriteFolder, WritesAllFiles) {
  ASSERT_TRUE(write_folder(root / "new", {{"a", "1"}, {"deep/er/b", "2"}}).ok());

  EXPECT_EQ(*read_file(root / "new" / "a"), "1");
  EXPECT_EQ(*read_file(root / "new" / "deep/er/b"), "2");
  EXPECT_EQ(root.entries(), 1u);
}

TEST_F(WriteFolder, LeavesAnythingThatIsThereAlone) {
  root.write("full/mine", "precious");
  root.write("file", "precious");
  fs::create_directory(root / "empty");
  fs::create_symlink("nowhere", root / "link");

  for (const char* name : {"full", "file", "empty", "link"}) {
    const Status status = write_folder(root / name, {{"a", "1"}});
    EXPECT_EQ(status.code(), Code::kUsage);
    EXPECT_THAT(status.message(), HasSubstr(name));
  }
  EXPECT_EQ(root.entries(), 4u);
  EXPECT_EQ(*read_file(root / "full" / "mine"), "precious");
}

TEST_F(WriteFolder, LeavesNothingWhereAFileCannotBeWritten) {
  // The second file's folder is the first file.
  const Status status = write_folder(root / "new", {{"a", "1"}, {"a/b", "2"}});

  EXPECT_EQ(status.code(), Code::kIo);
  EXPECT_EQ(root.entries(), 0u);
}

}  // namespace
}  // namespace mortise::app
