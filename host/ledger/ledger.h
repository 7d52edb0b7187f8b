// Who owns what: everything that one plugin instance made through the host, by generation-checked handle.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "host/core/status.h"
#include "host/ledger/kind.h"

namespace mortise::ledger {

// kind (8 bits), generation (24), slot (32); 0 is no thing.
using Handle = uint64_t;

// Where the bytes of a thing lie.
enum class Device : uint8_t { kNone, kCpu, kCuda };
const char* device_name(Device device);

// A thing with its bytes; the destructor releases it.
class Resource {
 public:
  virtual ~Resource() = default;
  virtual int64_t size_bytes() const { return 0; }
  virtual Device device() const { return Device::kNone; }
  // Ends what may take long or fail, before the destructor: waits for a job, removes a file. Called without the
  // ledger's lock.
  virtual void finish() {}
};

// Counts of one kind.
struct Tally {
  int64_t made = 0;
  int64_t released = 0;   // by the plugin
  int64_t forced = 0;     // by unload
  int64_t kept = 0;       // went to the model
  int64_t bytes_cpu = 0;  // live now
  int64_t bytes_cuda = 0;
  int64_t forced_bytes = 0;
  int64_t live() const { return made - released - forced - kept; }
};

// Why a handle was refused.
enum class HandleError {
  kNone,
  kStale,   // its thing was released
  kBad,     // never one of this ledger's, or of another kind
  kThread,  // good, but not on this thread
};

// Thread-safe. Resources are finished and destroyed outside the lock, so that they may come back here.
//
// Rationale: generations of a slot begin at a number of the ledger's own, so that a handle of another plugin, whose
// kind and slot exist here as well, is still told apart.
class Ledger {
 public:
  Ledger();
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Takes a thing in and gives its handle out. A borrowed one is not counted and ends with end_borrows.
  Handle add(Kind kind, std::shared_ptr<Resource> resource, bool borrowed = false);

  // The thing, or null and why. Released meanwhile by another thread, it lives as long as the caller holds it.
  std::shared_ptr<Resource> find(Kind kind, Handle handle, HandleError* error) const;

  // Releases by the plugin's wish; `kept`: it lives on as the model's and is not finished. Borrowed handles are refused
  // as kBad.
  HandleError release(Kind kind, Handle handle, bool kept = false);

  // Ends one borrowed handle, or all: they are stale from now on.
  void end_borrow(Handle handle);
  void end_borrows() {
    // Most events lend nothing: then this is one look, without the lock.
    if (borrows_.load(std::memory_order_acquire) != 0) end_all_borrows();
  }

  // Releases what is left, in the order of kinds, newest first within one. Returns how many that were.
  int64_t release_all();

  Tally tally(Kind kind) const;
  int64_t live() const;

 private:
  struct Slot {
    std::shared_ptr<Resource> resource;  // null: the slot is free
    Kind kind = Kind::kTensor;
    Device device = Device::kNone;
    bool borrowed = false;
    uint32_t generation = 0;  // of the thing in it, or of the next one
    int64_t bytes = 0;        // as they were when it came: what its tally has to lose
    uint64_t order = 0;       // of adding
  };
  void end_all_borrows();
  // REQUIRES for all of these: mutex_ held
  uint32_t free_slot();
  std::shared_ptr<Resource> take(uint32_t slot);
  const Slot* locate(Kind kind, Handle handle, HandleError* error) const;
  std::vector<uint32_t> newest_first(Kind kind) const;

  mutable std::mutex mutex_;  // guards all below
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  std::vector<uint32_t> borrowed_;
  std::atomic<size_t> borrows_{0};  // size of borrowed_; written under mutex_
  const uint32_t first_generation_;
  uint64_t next_order_ = 0;
  Tally tallies_[kKinds.size()];
};

}  // namespace mortise::ledger
