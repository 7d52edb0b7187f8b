#include "host/core/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "tests/support/temporary_folder.h"

namespace mortise {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A fresh folder a test.
class Files : public ::testing::Test {
 protected:
  size_t entries() const { return temporary_.entries(); }
  void put(const fs::path& path, const std::string& content) const { std::ofstream(path) << content; }

  const support::TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

TEST_F(Files, AppearWholeOnCommit) {
  const fs::path target = folder_ / "a.bin";
  Result<AtomicFile> file = AtomicFile::create(target);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write("one ", 4).ok());
  ASSERT_TRUE(file->write("two\0!", 5).ok());
  EXPECT_FALSE(fs::exists(target));

  ASSERT_TRUE(file->commit().ok());

  EXPECT_EQ(*read_file(target), std::string("one two\0!", 9));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, LeaveTheOldOneUntilTheCommit) {
  const fs::path target = folder_ / "a.txt";
  put(target, "old");
  Result<AtomicFile> file = AtomicFile::create(target);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write("new", 3).ok());
  EXPECT_EQ(*read_file(target), "old");

  ASSERT_TRUE(file->commit().ok());

  EXPECT_EQ(*read_file(target), "new");
}

TEST_F(Files, LeaveNothingWhenNotCommitted) {
  {
    Result<AtomicFile> file = AtomicFile::create(folder_ / "a.txt");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("half", 4).ok());
    EXPECT_EQ(entries(), 1u);
  }

  EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, MakeTheFoldersTheyNeed) {
  Result<AtomicFile> file = AtomicFile::create(folder_ / "one" / "two" / "a.txt");
  ASSERT_TRUE(file.ok());

  ASSERT_TRUE(file->commit().ok());

  EXPECT_EQ(*read_file(folder_ / "one" / "two" / "a.txt"), "");
}

TEST_F(Files, CanBeMovedWhileOpen) {
  Result<AtomicFile> made = AtomicFile::create(folder_ / "a.txt");
  ASSERT_TRUE(made.ok());
  std::optional<AtomicFile> file(*std::move(made));
  ASSERT_TRUE(file->write("x", 1).ok());

  ASSERT_TRUE(file->commit().ok());
  file.reset();

  EXPECT_EQ(*read_file(folder_ / "a.txt"), "x");
}

TEST_F(Files, DiscardTheOneThatIsAssignedOver) {
  Result<AtomicFile> first = AtomicFile::create(folder_ / "first");
  Result<AtomicFile> second = AtomicFile::create(folder_ / "second");
  ASSERT_TRUE(first.ok() && second.ok());

  *first = *std::move(second);
  ASSERT_TRUE(first->commit().ok());

  EXPECT_TRUE(fs::exists(folder_ / "second"));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, ObeyTheUmask) {
  const mode_t before = ::umask(027);
  Result<AtomicFile> file = AtomicFile::create(folder_ / "a.txt");
  ::umask(before);
  ASSERT_TRUE(file.ok() && file->commit().ok());

  EXPECT_EQ(static_cast<int>(fs::status(folder_ / "a.txt").permissions()), 0640);
}

TEST_F(Files, RefuseASecondCommit) {
  Result<AtomicFile> file = AtomicFile::create(folder_ / "a.txt");
  ASSERT_TRUE(file.ok() && file->commit().ok());

  const Status again = file->commit();

  EXPECT_EQ(again.code(), Code::kIo);
  EXPECT_THAT(again.message(), HasSubstr("already committed"));
}

TEST_F(Files, NameThePathAndTheReasonWhenNoneCanBeMade) {
  put(folder_ / "plain", "");
  fs::create_directory(folder_ / "sub");
  const struct {
    fs::path target;
    std::string reason;
  } cases[] = {
      {folder_ / "plain" / "a.txt", "Not a directory"},
      {folder_ / "sub", "Is a directory"},
      {folder_ / "sub" / "", "not a file name"},
      {folder_ / std::string(300, 'n'), "File name too long"},
  };
  for (const auto& c : cases) {
    const Result<AtomicFile> file = AtomicFile::create(c.target);

    ASSERT_FALSE(file.ok()) << c.target;
    EXPECT_EQ(file.status().code(), Code::kIo);
    EXPECT_THAT(file.status().message(), HasSubstr(c.reason));
    EXPECT_THAT(file.status().message(), HasSubstr(folder_.string()));
  }
}

TEST_F(Files, SayWhyTheyCannotBePutInPlace) {
  Result<AtomicFile> file = AtomicFile::create(folder_ / "late");
  ASSERT_TRUE(file.ok());
  fs::create_directories(folder_ / "late" / "full");

  const Status status = file->commit();

  EXPECT_EQ(status.code(), Code::kIo);
  EXPECT_THAT(status.message(), HasSubstr((folder_ / "late").string()));
  EXPECT_EQ(entries(), 1u) << "the temporary file is gone";
}

TEST(ReadFile, SaysWhichFileIsMissing) {
  const Result<std::string> content = read_file("/no/such/file");

  ASSERT_FALSE(content.ok());
  EXPECT_EQ(content.status().code(), Code::kIo);
  EXPECT_EQ(content.status().message(), "cannot read '/no/such/file': No such file or directory");
}

TEST(ReadFile, RefusesAFolder) { EXPECT_EQ(read_file("/").status().code(), Code::kIo); }

TEST_F(Files, AreReadWhateverTheirSize) {
  const std::string content(200'001, 'q');
  put(folder_ / "big", content);

  EXPECT_EQ(*read_file(folder_ / "big"), content);
}

}  // namespace
}  // namespace mortise
