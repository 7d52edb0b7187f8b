#include "host/data/data_set.h"

#include <ATen/ops/bincount.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/std.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/data/cifar10_file.h"
#include "tests/host/data/files_in_a_folder.h"

namespace mortise::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string cifar10_record(char label, char pixel) { return std::string(1, label) + std::string(3072, pixel); }

void write_cifar10(const DataFolder& folder, const std::string& below) {
  for (char i = 1; i <= 5; ++i) {
    const std::string record = cifar10_record(i, static_cast<char>(10 * i));
    folder.write(below + "data_batch_" + std::to_string(i) + ".bin", record + record);
  }
  folder.write(below + "test_batch.bin", cifar10_record(9, 'x'));
}

// Two training samples and one test sample of 2 x 2 pixels.
void write_mnist(const DataFolder& folder, const std::string& below, const std::string& train_labels) {
  folder.write(below + "train-images-idx3-ubyte", idx_header(8, {2, 2, 2}) + "abcdefgh");
  folder.write(below + "train-labels-idx1-ubyte",
               idx_header(8, {static_cast<uint32_t>(train_labels.size())}) + train_labels);
  folder.write(below + "t10k-images-idx3-ubyte", idx_header(8, {1, 2, 2}) + "ijkl");
  folder.write(below + "t10k-labels-idx1-ubyte", idx_header(8, {1}) + std::string{'\7'});
}

TEST(DataSets, FashionMnistOpensWhereDebianPutsIt) {
  const auto sets = open_dataset("fashion-mnist");

  ASSERT_TRUE(sets.ok()) << sets.status().message();
  EXPECT_EQ(sets->train.images.sizes(), (std::vector<int64_t>{55000, 1, 28, 28}));
  EXPECT_EQ(sets->val.size(), 5000);
  EXPECT_EQ(sets->test.size(), 10000);
  EXPECT_TRUE(at::equal(at::bincount(sets->test.labels), at::full({10}, 1000, at::kLong)));
}

TEST(DataSets, ConstantsOfFashionMnistAreThoseOfItsTrainingImages) {
  const auto sets = open_dataset("fashion-mnist", 0);
  ASSERT_TRUE(sets.ok()) << sets.status().message();

  const at::Tensor pixels = sets->train.images.to(at::kFloat).div(255).view(-1);

  // The constants are rounded to four places.
  EXPECT_NEAR(pixels.mean().item<double>(), sets->normalisation.mean[0], 6e-5);
  EXPECT_NEAR(at::std(pixels).item<double>(), sets->normalisation.std[0], 6e-5);
}

TEST(DataSets, TheLastTrainingSamplesValidate) {
  const auto whole = open_dataset("fashion-mnist", 0);
  const auto split = open_dataset("fashion-mnist", 7);
  ASSERT_TRUE(whole.ok() && split.ok());

  EXPECT_EQ(whole->val.size(), 0);
  EXPECT_TRUE(at::equal(split->val.images, whole->train.images.narrow(0, 59993, 7)));
  EXPECT_TRUE(at::equal(split->val.labels, whole->train.labels.narrow(0, 59993, 7)));
}

TEST(DataSets, MnistOpensFromPlainFilesAndFromTorchvisionsFolder) {
  for (const char* below : {"", "MNIST/raw/"}) {
    SCOPED_TRACE(below);
    DataFolder folder;
    write_mnist(folder, below, {'\3', '\4'});

    const auto sets = open_dataset("mnist:" + folder.path().string(), 1);

    ASSERT_TRUE(sets.ok()) << sets.status().message();
    EXPECT_EQ(sets->train.images[0][0][1][0].item<int>(), 'c');
    EXPECT_EQ(sets->val.labels.item<int64_t>(), 4);
    EXPECT_EQ(sets->test.labels.item<int64_t>(), 7);
  }
}

TEST(DataSets, Cifar10OpensFromItsFolderAndTheOneAbove) {
  for (const char* below : {"", "cifar-10-batches-bin/"}) {
    SCOPED_TRACE(below);
    DataFolder folder;
    write_cifar10(folder, below);

    const auto sets = open_dataset("cifar10:" + folder.path().string(), 3);

    ASSERT_TRUE(sets.ok()) << sets.status().message();
    EXPECT_EQ(sets->train.images.sizes(), (std::vector<int64_t>{7, 3, 32, 32}));
    EXPECT_EQ(sets->train.labels[6].item<int64_t>(), 4);
    EXPECT_EQ(sets->val.images[0][2][31][31].item<int>(), 40);
    EXPECT_EQ(sets->classes, 10);
    EXPECT_EQ(sets->normalisation.std.size(), 3U);
  }
}

struct Refused {
  std::string spec;
  Code code;
  std::vector<std::string> parts;  // of the message
};

TEST(DataSets, RefusesASpecificationAndSaysWhatWouldDo) {
  DataFolder folder;
  const std::string path = folder.path().string();
  const Refused kCases[] = {
      {"fasion-mnist", Code::kUsage, {"'fasion-mnist'", "fashion-mnist, mnist, cifar10", "did you mean"}},
      {"imagenet", Code::kUsage, {"'imagenet'", "fashion-mnist, mnist, cifar10"}},
      {"", Code::kUsage, {"''", "fashion-mnist, mnist, cifar10"}},
      {"mnist", Code::kUsage, {"mnist:DIR", "train-images-idx3-ubyte.gz"}},
      {"cifar10:", Code::kUsage, {"cifar10:DIR", "data_batch_1.bin"}},
      {"cifar10:" + path, Code::kNotFound, {"data_batch_1.bin", path + "/cifar-10-batches-bin"}},
      {"mnist:" + path, Code::kNotFound, {"train-images-idx3-ubyte.gz or train-images-idx3-ubyte", path}},
  };
  for (const Refused& row : kCases) {
    SCOPED_TRACE(row.spec);
    const Status status = open_dataset(row.spec).status();

    EXPECT_EQ(status.code(), row.code);
    for (const std::string& part : row.parts) EXPECT_THAT(status.message(), HasSubstr(part));
  }
}

TEST(DataSets, RefusesImagesAndLabelsThatDoNotMatch) {
  DataFolder folder;
  write_mnist(folder, "", {'\1', '\2', '\3'});
  const Status uneven = open_dataset("mnist:" + folder.path().string(), 0).status();
  write_mnist(folder, "", {'\1', '\12'});
  const Status beyond = open_dataset("mnist:" + folder.path().string(), 0).status();

  EXPECT_EQ(uneven.code(), Code::kData);
  EXPECT_THAT(uneven.message(), HasSubstr("2 images and 3 labels"));
  EXPECT_EQ(beyond.code(), Code::kData);
  EXPECT_THAT(beyond.message(), HasSubstr("expected labels from 0 to 9, found 10"));
}

TEST(DataSets, LeavesSamplesToTrainWith) {
  for (const int64_t val_size : {-1, 60000, 70000}) {
    const Status status = open_dataset("fashion-mnist", val_size).status();

    EXPECT_EQ(status.code(), Code::kUsage) << val_size;
    EXPECT_THAT(status.message(), AllOf(HasSubstr("60000"), HasSubstr(std::to_string(val_size))));
  }
}

TEST(Cifar10File, RefusesBrokenRecords) {
  DataFolder folder;
  const std::string record = cifar10_record(1, 'p');
  const struct {
    std::string bytes;
    const char* message;
  } kCases[] = {
      {"", "found 0 of them and 0 bytes more"},
      {record + record.substr(1), "found 1 of them and 3072 bytes more"},
      {record + cifar10_record(10, 'p'), "label from 0 to 9 in record 1, found 10"},
  };
  for (const auto& row : kCases) {
    const Status status = read_cifar10({folder.write("batch.bin", row.bytes)}).status();

    EXPECT_EQ(status.code(), Code::kData);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("batch.bin"), HasSubstr(row.message)));
  }
}

}  // namespace
}  // namespace mortise::data
