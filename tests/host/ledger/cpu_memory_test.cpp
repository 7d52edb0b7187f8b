#include "host/ledger/cpu_memory.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace mortise::ledger {
namespace {

TEST(CpuMemory, CountsAStorageOnceHoweverManyTensorsShareIt) {
  count_cpu_memory();
  const CpuMemory before = cpu_memory();
  {
    const at::Tensor tensor = at::empty({1024}, at::kFloat);
    const at::Tensor view = tensor.slice(0, 0, 10);
    EXPECT_EQ(cpu_memory().allocations, before.allocations + 1);
    EXPECT_GE(cpu_memory().bytes, before.bytes + 4096);
    EXPECT_LT(cpu_memory().bytes, before.bytes + 2 * 4096);
  }
  EXPECT_EQ(cpu_memory().allocations, before.allocations);
  EXPECT_EQ(cpu_memory().bytes, before.bytes);
}

TEST(CpuMemory, IsExactOverManySizesAndResizes) {
  count_cpu_memory();
  const CpuMemory before = cpu_memory();
  for (int64_t size = 0; size < 300000; size = size * 3 / 2 + 1) {
    at::Tensor tensor = at::ones({size}, at::kDouble);
    tensor.resize_({size * 2});
    tensor.add_(tensor.clone());
  }

  EXPECT_EQ(cpu_memory().allocations, before.allocations);
  EXPECT_EQ(cpu_memory().bytes, before.bytes);
}

TEST(CpuMemory, DoesNotCountAnEmptyTensorOrSomebodyElsesBytes) {
  count_cpu_memory();
  const CpuMemory before = cpu_memory();
  std::vector<float> bytes(100);

  const at::Tensor empty = at::empty({0});
  const at::Tensor foreign = at::from_blob(bytes.data(), {100});

  EXPECT_EQ(cpu_memory().allocations, before.allocations);
  EXPECT_EQ(cpu_memory().bytes, before.bytes);
}

TEST(CpuMemory, CountsAStorageThatAnotherThreadFrees) {
  count_cpu_memory();
  const CpuMemory before = cpu_memory();

  std::thread([tensor = at::ones({1000})]() mutable { tensor.reset(); }).join();

  EXPECT_EQ(cpu_memory().allocations, before.allocations);
  EXPECT_EQ(cpu_memory().bytes, before.bytes);
}

TEST(CpuMemory, IsPutInPlaceOnce) {
  count_cpu_memory();
  count_cpu_memory();
  const CpuMemory before = cpu_memory();

  const at::Tensor tensor = at::ones({10});

  EXPECT_EQ(cpu_memory().allocations, before.allocations + 1);
}

}  // namespace
}  // namespace mortise::ledger
