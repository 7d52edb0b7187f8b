#include "host/ledger/process_sample.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <vector>

namespace mortise::ledger {
namespace {

class FakeAccelerator : public Accelerator {
 public:
  std::string name() const override { return "fake"; }
  void synchronize() override {}
  void release_caches() override { reserved_ = 0; }
  GpuMemory memory() const override { return {.allocated_bytes = 5, .allocations = 1, .reserved_bytes = reserved_}; }

 private:
  int64_t reserved_ = 100;
};

TEST(ProcessSample, CountsDescriptorsWithoutTheOneThatLists) {
  const int64_t before = sample_process(nullptr, "").descriptors;
  const int descriptor = open("/dev/null", O_RDONLY);
  const int64_t during = sample_process(nullptr, "").descriptors;
  close(descriptor);

  EXPECT_EQ(during, before + 1);
  EXPECT_EQ(sample_process(nullptr, "").descriptors, before);
}

TEST(ProcessSample, CountsThreads) {
  const int64_t before = sample_process(nullptr, "").threads;
  std::promise<void> end;
  std::thread thread([&] { end.get_future().wait(); });
  const int64_t during = sample_process(nullptr, "").threads;
  end.set_value();
  thread.join();

  EXPECT_EQ(during, before + 1);
}

TEST(ProcessSample, CountsHeapInSmallAndInLargeBlocks) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's malloc tells nothing of its heap";
#endif
  // Smaller ones come from the thread's cache, which counts as in use.
  for (const size_t size : {size_t{100} << 10, size_t{64} << 20}) {
    const int64_t before = sample_process(nullptr, "").heap_bytes;
    std::vector<char> block(size, 1);
    const int64_t grown = sample_process(nullptr, "").heap_bytes - before;

    // malloc's own word a block, and a page where a block has a mapping of its own.
    EXPECT_GE(grown, static_cast<int64_t>(size)) << size;
    EXPECT_LE(grown, static_cast<int64_t>(size) + 8192) << size;
  }
}

TEST(ProcessSample, SeesMemoryThatWasTouched) {
  constexpr int64_t kBytes = 64 << 20;
  const int64_t before = sample_process(nullptr, "").rss_bytes;
  const std::vector<char> block(kBytes, 1);
  const int64_t grown = sample_process(nullptr, "").rss_bytes - before;

  EXPECT_GT(grown, kBytes / 2);
  EXPECT_GT(before, 0);
}

TEST(ProcessSample, CountsMappingsOfFilesInThePluginFolderAlone) {
  const std::string folder = ::testing::TempDir() + "process-sample-" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/plugin.so") << "some bytes";
  const int descriptor = open((folder + "/plugin.so").c_str(), O_RDONLY);
  void* mapped = mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, descriptor, 0);
  ASSERT_NE(mapped, MAP_FAILED);

  const ProcessSample inside = sample_process(nullptr, folder.c_str());
  const ProcessSample elsewhere = sample_process(nullptr, (folder + "-other").c_str());
  const ProcessSample nowhere = sample_process(nullptr, "");
  munmap(mapped, 1);
  close(descriptor);
  const ProcessSample after = sample_process(nullptr, folder.c_str());
  std::filesystem::remove_all(folder);

  EXPECT_EQ(inside.plugin_mappings, 1);
  EXPECT_EQ(elsewhere.plugin_mappings, 0);
  EXPECT_EQ(nowhere.plugin_mappings, 0);
  EXPECT_EQ(after.plugin_mappings, 0);
  EXPECT_GT(inside.mappings, 10);
}

TEST(ProcessSample, ReadsTheAcceleratorAfterItsCachesAreReleased) {
  FakeAccelerator accelerator;

  const ProcessSample sample = sample_process(&accelerator, nullptr);

  EXPECT_EQ(sample.gpu.allocated_bytes, 5);
  EXPECT_EQ(sample.gpu.reserved_bytes, 0);
}

TEST(ProcessSample, HasZerosWithoutAnAccelerator) {
  const ProcessSample sample = sample_process(nullptr, nullptr);

  EXPECT_EQ(sample.gpu.used_bytes, 0);
  EXPECT_EQ(sample.gpu.allocations, 0);
}

}  // namespace
}  // namespace mortise::ledger
