#include "host/checkpoint/checkpoint_file.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tests/support/temporary_folder.h"

namespace mortise::checkpoint {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CheckpointFile : public testing::Test {
 protected:
  Value round_trip(const Value& value) {
    const Status written = write_checkpoint(folder_.path() / "file.ckpt", value);
    EXPECT_TRUE(written.ok()) << written.message();
    auto read = read_checkpoint(folder_.path() / "file.ckpt");
    EXPECT_TRUE(read.ok()) << read.status().message();
    return *std::move(read);
  }

  support::TemporaryFolder folder_;
};

Value dict_of(std::vector<std::pair<Value, Value>> items) { return Dict{Dict::Kind::kDict, std::move(items), {}}; }

TEST_F(CheckpointFile, GivesBackPlainValues) {
  const Value value = round_trip(
      dict_of({{"none", {}}, {"on", true}, {7, -300}, {"real", 0.1}, {"text", "\xc3\xa4"}, {"bytes", Bytes{"\x80"}}}));

  const auto& items = value.as<Dict>()->items;
  ASSERT_EQ(items.size(), 6U);
  EXPECT_TRUE(items[0].second.is_none());
  EXPECT_TRUE(*items[1].second.as<bool>());
  EXPECT_EQ(*items[2].first.as<int64_t>(), 7);
  EXPECT_EQ(*items[2].second.as<int64_t>(), -300);
  EXPECT_EQ(*items[3].second.as<double>(), 0.1);
  EXPECT_EQ(*items[4].second.as<std::string>(), "\xc3\xa4");
  EXPECT_EQ(items[5].second.as<Bytes>()->bytes, "\x80");
}

TEST_F(CheckpointFile, GivesBackTensorsOfEveryTypeAndStride) {
  for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kShort,
                                    at::kChar, at::kByte, at::kBool, at::kComplexFloat, at::kUInt16}) {
    const at::Tensor tensor = at::arange(24, at::kFloat).view({2, 3, 2, 2}).to(type, false, true);
    const at::Tensor strided = tensor.transpose(1, 3);

    const Value value = round_trip(List{{tensor, strided}});

    const auto& items = value.as<List>()->items;
    EXPECT_EQ(items[0].as<at::Tensor>()->scalar_type(), type);
    EXPECT_TRUE(at::equal(*items[0].as<at::Tensor>(), tensor)) << type;
    EXPECT_EQ(items[1].as<at::Tensor>()->strides(), strided.strides());
    EXPECT_TRUE(items[0].as<at::Tensor>()->is_alias_of(*items[1].as<at::Tensor>()));
  }
}

TEST_F(CheckpointFile, MakesTheFoldersThatAreMissing) {
  const auto path = folder_.path() / "a" / "b" / "file.ckpt";

  ASSERT_TRUE(write_checkpoint(path, 1).ok());

  EXPECT_TRUE(read_checkpoint(path).ok());
}

TEST_F(CheckpointFile, ReplacesAFileWithoutLeavingAnotherBehind) {
  round_trip(1);
  const Value value = round_trip(2);

  EXPECT_EQ(*value.as<int64_t>(), 2);
  EXPECT_EQ(folder_.entries(), 1U);
}

TEST_F(CheckpointFile, AFailureLeavesThePreviousFileAndNothingElse) {
  round_trip(1);

  const Status status = write_checkpoint(folder_.path() / "file.ckpt", "\xff");

  EXPECT_EQ(status.code(), Code::kUsage);
  EXPECT_EQ(*read_checkpoint(folder_.path() / "file.ckpt")->as<int64_t>(), 1);
  EXPECT_EQ(folder_.entries(), 1U);
}

TEST_F(CheckpointFile, NamesThePathThatCannotBeWritten) {
  folder_.write("plain", "");

  const Status below_a_file = write_checkpoint(folder_.path() / "plain" / "file.ckpt", 1);
  const Status at_a_folder = write_checkpoint(folder_.path(), 1);

  EXPECT_EQ(below_a_file.code(), Code::kIo);
  EXPECT_THAT(below_a_file.message(), AllOf(HasSubstr("plain"), HasSubstr("Not a directory")));
  EXPECT_EQ(at_a_folder.code(), Code::kIo);
  EXPECT_EQ(folder_.entries(), 1U);
}

// For a child process: its files may not grow beyond a limit, as on a full disk. Exits with 0 if that was an error.
[[noreturn]] void write_beyond_the_limit(const std::filesystem::path& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1 << 16, 1 << 16};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const Status status = write_checkpoint(path, at::zeros({1 << 20}));
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::_Exit(status.code() == Code::kIo ? 0 : 1);
}

TEST_F(CheckpointFile, AFileThatCannotGrowIsAStatusAndLeavesNothing) {
  const auto path = folder_.path() / "file.ckpt";

  EXPECT_EXIT(write_beyond_the_limit(path), testing::ExitedWithCode(0), "file.ckpt': File too large");

  EXPECT_EQ(folder_.entries(), 0U);
}

TEST_F(CheckpointFile, SaysWhatIsWrongWithAFile) {
  ASSERT_TRUE(write_checkpoint(folder_.path() / "good", at::ones({100})).ok());
  const std::string good = folder_.read("good");
  std::string damaged = good;
  damaged[good.find("\x80\x3f")] ^= 1;  // of the first 1.0
  const struct {
    std::string bytes;
    const char* message;
  } kCases[] = {
      {"", "file: not a checkpoint: "},
      {"hello", "file: not a checkpoint: "},
      {good.substr(0, good.size() - 100), "file: truncated: "},
      {damaged, "file: corrupt: "},
      {"\x80\x02\x8a\x0a" + std::string(10, 'x'), "file: unsupported: a file of torch before 1.6"},
      {"PK\5\6" + std::string(18, '\0'), "file: not a checkpoint: "},
  };
  for (const auto& row : kCases) {
    const Status status = read_checkpoint(folder_.write("file", row.bytes)).status();

    EXPECT_EQ(status.code(), Code::kData);
    EXPECT_THAT(status.message(), HasSubstr(row.message));
  }
}

TEST_F(CheckpointFile, AnyDamagedByteIsNoticedOrHarmless) {
  ASSERT_TRUE(write_checkpoint(folder_.path() / "good", dict_of({{"a", at::arange(6)}, {"b", "text"}})).ok());
  const std::string good = folder_.read("good");

  for (size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] ^= 0x10;
    const auto value = read_checkpoint(folder_.write("file", damaged));
    if (!value.ok()) continue;
    const Value* tensor = value->as<Dict>() == nullptr ? nullptr : value->as<Dict>()->find("a");
    ASSERT_NE(tensor, nullptr) << i;
    EXPECT_TRUE(at::equal(*tensor->as<at::Tensor>(), at::arange(6))) << i;
  }
}

TEST_F(CheckpointFile, SaysThatAFileIsNotThere) {
  const Status absent = read_checkpoint(folder_.path() / "absent").status();
  const Status folder = read_checkpoint(folder_.path()).status();

  EXPECT_EQ(absent.code(), Code::kNotFound);
  EXPECT_THAT(absent.message(), HasSubstr("absent: there is no such file"));
  EXPECT_EQ(folder.code(), Code::kIo);
}

}  // namespace
}  // namespace mortise::checkpoint
