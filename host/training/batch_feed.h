// An epoch's batches under a limit, and which of them is the last.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "host/training/batch.h"

namespace mortise::training {

// Reads one batch ahead where the source does not know its length, and only there.
class BatchFeed {
 public:
  // batches  under the limit; -1: as many as there are
  BatchFeed(BatchSource& source, int64_t batches)
      : source_(source), batches_(batches), look_ahead_(source.batches() < 0) {}

  // Begins an epoch and passes over its first `skip` batches.
  Status begin(int64_t epoch, int64_t skip = 0) {
    MORTISE_RETURN_IF_ERROR(source_.begin(epoch));
    taken_ = 0;
    for (Batch batch; taken_ < skip; ++taken_) {
      const Result<bool> got = source_.next(batch);
      MORTISE_RETURN_IF_ERROR(got.status());
      if (!*got) return ended_early();
    }
    return look_ahead_ ? fetch_ahead() : Status();
  }

  // The next batch; false at the end.
  Result<bool> next(Batch& batch) {
    if (taken_ == batches_) return false;
    if (look_ahead_) {
      if (!ahead_there_) return false;
      batch = std::move(ahead_);
      ++taken_;
      MORTISE_RETURN_IF_ERROR(fetch_ahead());
      return true;
    }
    Result<bool> got = source_.next(batch);
    MORTISE_RETURN_IF_ERROR(got.status());
    if (!*got) return ended_early();
    ++taken_;
    return true;
  }

  // Whether the batch that next gave was the last.
  bool was_last() const { return taken_ == batches_ || (look_ahead_ && !ahead_there_); }

 private:
  Status fetch_ahead() {
    ahead_there_ = false;
    if (taken_ == batches_) return {};
    const Result<bool> got = source_.next(ahead_);
    MORTISE_RETURN_IF_ERROR(got.status());
    ahead_there_ = *got;
    return {};
  }

  Status ended_early() const {
    return {Code::kData, "the data ended after " + std::to_string(taken_) + " batches of an epoch of " +
                             std::to_string(source_.batches())};
  }

  BatchSource& source_;
  const int64_t batches_;
  const bool look_ahead_;
  int64_t taken_ = 0;
  Batch ahead_;
  bool ahead_there_ = false;
};

}  // namespace mortise::training
