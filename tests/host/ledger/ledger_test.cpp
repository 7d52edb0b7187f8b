#include "host/ledger/ledger.h"

#include <gmock/gmock.h>

#include <functional>
#include <set>
#include <thread>

namespace mortise::ledger {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Diary = std::vector<std::string>;

// Writes down what becomes of it.
class Noted : public Resource {
 public:
  explicit Noted(std::string name = "thing", Diary* diary = nullptr, int64_t bytes = 0, Device device = Device::kNone)
      : name_(std::move(name)), diary_(diary), bytes_(bytes), device_(device) {}
  ~Noted() override { note("gone " + name_); }
  int64_t size_bytes() const override { return bytes_; }
  Device device() const override { return device_; }
  void finish() override {
    note("finished " + name_);
    if (on_finish) on_finish();
  }

  std::function<void()> on_finish;

 private:
  void note(const std::string& what) {
    if (diary_) diary_->push_back(what);
  }
  std::string name_;
  Diary* diary_;
  int64_t bytes_;
  Device device_;
};

std::unique_ptr<Resource> cpu_bytes(int64_t bytes) {
  return std::make_unique<Noted>("bytes", nullptr, bytes, Device::kCpu);
}

HandleError error_of(const Ledger& ledger, Kind kind, Handle handle) {
  HandleError error = HandleError::kNone;
  const bool found = ledger.find(kind, handle, &error) != nullptr;
  EXPECT_EQ(found, error == HandleError::kNone);
  return error;
}

TEST(Ledger, FindsWhatWasAdded) {
  Ledger ledger;
  auto thing = std::make_unique<Noted>();
  const Resource* address = thing.get();

  const Handle handle = ledger.add(Kind::kTensor, std::move(thing));

  HandleError error;
  EXPECT_EQ(ledger.find(Kind::kTensor, handle, &error).get(), address);
  EXPECT_EQ(error, HandleError::kNone);
  EXPECT_NE(handle, 0u);
  EXPECT_EQ(handle >> 56, static_cast<uint64_t>(Kind::kTensor));
}

TEST(Ledger, RefusesAReleasedHandleAsStaleEvenIfItsSlotIsUsedAgain) {
  Ledger ledger;
  const Handle old = ledger.add(Kind::kTensor, cpu_bytes(1));
  EXPECT_EQ(ledger.release(Kind::kTensor, old), HandleError::kNone);
  EXPECT_EQ(error_of(ledger, Kind::kTensor, old), HandleError::kStale);

  const Handle young = ledger.add(Kind::kTensor, cpu_bytes(1));

  EXPECT_EQ(static_cast<uint32_t>(young), static_cast<uint32_t>(old));
  EXPECT_EQ(error_of(ledger, Kind::kTensor, young), HandleError::kNone);
  EXPECT_EQ(error_of(ledger, Kind::kTensor, old), HandleError::kStale);
  EXPECT_EQ(ledger.release(Kind::kTensor, old), HandleError::kStale);
}

TEST(Ledger, RefusesWhatWasNeverAHandleOfThisKind) {
  Ledger ledger;
  const Handle handle = ledger.add(Kind::kTensor, cpu_bytes(1));
  const Handle other_kind = (static_cast<Handle>(Kind::kFile) << 56) | (handle & ~(Handle{0xff} << 56));
  const struct {
    const char* what;
    Kind kind;
    Handle handle;
  } cases[] = {
      {"nothing", Kind::kTensor, 0},
      {"a kind asked for that it isn't", Kind::kFile, handle},
      {"a kind changed in the number", Kind::kFile, other_kind},
      {"a slot that isn't there", Kind::kTensor, handle + 1},
      {"a generation to come", Kind::kTensor, handle + (Handle{1} << 32)},
      {"all bits", Kind::kTensor, ~Handle{0}},
  };
  for (const auto& row : cases) {
    EXPECT_EQ(error_of(ledger, row.kind, row.handle), HandleError::kBad) << row.what;
    EXPECT_EQ(ledger.release(row.kind, row.handle), HandleError::kBad) << row.what;
  }
  EXPECT_EQ(error_of(ledger, Kind::kTensor, handle), HandleError::kNone);
}

TEST(Ledger, RefusesAHandleOfAnotherLedger) {
  std::vector<std::unique_ptr<Ledger>> ledgers;
  std::set<Handle> handles;
  for (int i = 0; i < 200; ++i) {
    ledgers.push_back(std::make_unique<Ledger>());
    handles.insert(ledgers.back()->add(Kind::kTensor, cpu_bytes(1)));
  }

  EXPECT_EQ(handles.size(), ledgers.size());
  int found = 0;
  for (const Handle handle : handles) found += error_of(*ledgers[0], Kind::kTensor, handle) == HandleError::kNone;
  EXPECT_EQ(found, 1);
}

TEST(Ledger, CountsByKindWhoReleased) {
  Ledger ledger;
  const Handle first = ledger.add(Kind::kMask, cpu_bytes(100));
  const Handle second = ledger.add(Kind::kMask, std::make_unique<Noted>("m", nullptr, 20, Device::kCuda));
  ledger.add(Kind::kMask, cpu_bytes(3));
  ledger.add(Kind::kTensor, cpu_bytes(7));

  const Tally full = ledger.tally(Kind::kMask);
  EXPECT_EQ(ledger.release(Kind::kMask, first), HandleError::kNone);
  EXPECT_EQ(ledger.release(Kind::kMask, second, /*kept=*/true), HandleError::kNone);
  EXPECT_EQ(ledger.live(), 2);
  EXPECT_EQ(ledger.release_all(), 2);
  const Tally empty = ledger.tally(Kind::kMask);

  EXPECT_EQ(full.live(), 3);
  EXPECT_EQ(full.bytes_cpu, 103);
  EXPECT_EQ(full.bytes_cuda, 20);
  EXPECT_EQ(empty.made, 3);
  EXPECT_EQ(empty.released, 1);
  EXPECT_EQ(empty.kept, 1);
  EXPECT_EQ(empty.forced, 1);
  EXPECT_EQ(empty.forced_bytes, 3);
  EXPECT_EQ(empty.live(), 0);
  EXPECT_EQ(empty.bytes_cpu, 0);
  EXPECT_EQ(empty.bytes_cuda, 0);
  EXPECT_EQ(ledger.live(), 0);
}

TEST(Ledger, SubtractsTheBytesThatItAddedThoughTheThingHasGrown) {
  struct Growing : Resource {
    int64_t size_bytes() const override { return bytes; }
    Device device() const override { return Device::kCpu; }
    int64_t bytes = 10;
  };
  Ledger ledger;
  auto thing = std::make_unique<Growing>();
  Growing* growing = thing.get();
  const Handle handle = ledger.add(Kind::kFile, std::move(thing));

  growing->bytes = 1000;
  EXPECT_EQ(ledger.release(Kind::kFile, handle), HandleError::kNone);

  EXPECT_EQ(ledger.tally(Kind::kFile).bytes_cpu, 0);
}

TEST(Ledger, FinishesBeforeItDestroysButNotWhatIsKept) {
  Diary diary;
  Ledger ledger;
  const Handle file = ledger.add(Kind::kFile, std::make_unique<Noted>("file", &diary));
  const Handle mask = ledger.add(Kind::kMask, std::make_unique<Noted>("mask", &diary));

  EXPECT_EQ(ledger.release(Kind::kFile, file), HandleError::kNone);
  EXPECT_EQ(ledger.release(Kind::kMask, mask, /*kept=*/true), HandleError::kNone);

  EXPECT_THAT(diary, ElementsAre("finished file", "gone file", "gone mask"));
}

TEST(Ledger, ReleasesKindsInOrderAndTheNewestFirst) {
  Diary diary;
  Ledger ledger;
  for (const char* name : {"file 1", "file 2"}) ledger.add(Kind::kFile, std::make_unique<Noted>(name, &diary));
  for (const char* name : {"hook 1", "hook 2"}) ledger.add(Kind::kHook, std::make_unique<Noted>(name, &diary));
  ledger.add(Kind::kTensor, std::make_unique<Noted>("tensor", &diary));

  ledger.release_all();

  EXPECT_THAT(diary, ElementsAre("finished hook 2", "gone hook 2", "finished hook 1", "gone hook 1", "finished tensor",
                                 "gone tensor", "finished file 2", "gone file 2", "finished file 1", "gone file 1"));
}

TEST(Ledger, LeavesTensorsToAJobThatIsBeingFinished) {
  Ledger ledger;
  const Handle tensor = ledger.add(Kind::kTensor, cpu_bytes(1));
  HandleError seen = HandleError::kBad;
  auto job = std::make_unique<Noted>();
  job->on_finish = [&] { seen = error_of(ledger, Kind::kTensor, tensor); };
  ledger.add(Kind::kJob, std::move(job));

  ledger.release_all();

  EXPECT_EQ(seen, HandleError::kNone);
  EXPECT_EQ(error_of(ledger, Kind::kTensor, tensor), HandleError::kStale);
}

TEST(Ledger, LetsAThingThatIsFinishedReleaseAnother) {
  Ledger ledger;
  const Handle older = ledger.add(Kind::kJob, std::make_unique<Noted>());
  auto job = std::make_unique<Noted>();
  job->on_finish = [&] { EXPECT_EQ(ledger.release(Kind::kJob, older), HandleError::kNone); };
  ledger.add(Kind::kJob, std::move(job));

  EXPECT_EQ(ledger.release_all(), 1);

  EXPECT_EQ(ledger.tally(Kind::kJob).released, 1);
  EXPECT_EQ(ledger.tally(Kind::kJob).forced, 1);
}

TEST(Ledger, EndsTheLoanThatAHandleNamesAndNotTheNextInItsSlot) {
  Ledger ledger;
  const Handle old = ledger.add(Kind::kTensor, cpu_bytes(8), true);
  ledger.end_borrow(old);
  const Handle next = ledger.add(Kind::kTensor, cpu_bytes(8), true);

  ledger.end_borrow(old);

  EXPECT_EQ(error_of(ledger, Kind::kTensor, old), HandleError::kStale);
  EXPECT_EQ(error_of(ledger, Kind::kTensor, next), HandleError::kNone);
}

TEST(Ledger, EndsBorrowedHandlesTogetherAndDoesNotCountThem) {
  Diary diary;
  Ledger ledger;
  const Handle own = ledger.add(Kind::kTensor, cpu_bytes(1));
  const Handle lent = ledger.add(Kind::kTensor, std::make_unique<Noted>("lent", &diary, 50, Device::kCpu), true);
  EXPECT_EQ(error_of(ledger, Kind::kTensor, lent), HandleError::kNone);
  EXPECT_EQ(ledger.release(Kind::kTensor, lent), HandleError::kBad);

  ledger.end_borrows();

  EXPECT_EQ(error_of(ledger, Kind::kTensor, lent), HandleError::kStale);
  EXPECT_EQ(error_of(ledger, Kind::kTensor, own), HandleError::kNone);
  EXPECT_EQ(ledger.tally(Kind::kTensor).made, 1);
  EXPECT_EQ(ledger.tally(Kind::kTensor).bytes_cpu, 1);
  EXPECT_THAT(diary, ElementsAre("gone lent"));
}

TEST(Ledger, ReleasesWhatIsLeftAtItsEnd) {
  Diary diary;
  {
    Ledger ledger;
    ledger.add(Kind::kTensor, std::make_unique<Noted>("own", &diary));
    ledger.add(Kind::kTensor, std::make_unique<Noted>("lent", &diary), true);
    EXPECT_THAT(diary, IsEmpty());
  }
  EXPECT_THAT(diary, ElementsAre("gone lent", "finished own", "gone own"));
}

TEST(Ledger, NeverAcceptsAHandleAgainWhenTheGenerationsOfASlotRunOut) {
  Ledger ledger;
  const Handle first = ledger.add(Kind::kTensor, std::make_unique<Resource>());
  EXPECT_EQ(ledger.release(Kind::kTensor, first), HandleError::kNone);
  for (uint32_t i = 1; i < (1u << 24); ++i) {
    ledger.add(Kind::kTensor, std::make_unique<Resource>(), true);
    ledger.end_borrows();
  }
  EXPECT_EQ(error_of(ledger, Kind::kTensor, first), HandleError::kStale);

  const Handle next = ledger.add(Kind::kTensor, std::make_unique<Resource>());

  EXPECT_NE(static_cast<uint32_t>(next), static_cast<uint32_t>(first));
  EXPECT_EQ(error_of(ledger, Kind::kTensor, first), HandleError::kStale);
}

TEST(Ledger, TakesCallsFromManyThreads) {
  Ledger ledger;
  constexpr int kThreads = 4, kEach = 2000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&ledger] {
      for (int j = 0; j < kEach; ++j) {
        const Handle handle = ledger.add(Kind::kTensor, cpu_bytes(8));
        if (j % 2 == 0) continue;
        EXPECT_EQ(ledger.release(Kind::kTensor, handle), HandleError::kNone);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(ledger.tally(Kind::kTensor).released, kThreads * kEach / 2);
  EXPECT_EQ(ledger.tally(Kind::kTensor).bytes_cpu, 8 * kThreads * kEach / 2);
  EXPECT_EQ(ledger.release_all(), kThreads * kEach / 2);
}

TEST(Kind, HasANameOfItsOwn) {
  std::set<std::string> names;
  for (const Kind kind : kKinds) names.insert(kind_name(kind));

  EXPECT_EQ(names.size(), kKinds.size());
  EXPECT_STREQ(device_name(Device::kCuda), "cuda");
}

}  // namespace
}  // namespace mortise::ledger
