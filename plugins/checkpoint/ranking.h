// Which files are kept: the k best of those that were saved. Knows no host and touches no file.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace checkpoint {

// All that is known of the files; the part of the state that a checkpoint holds.
struct Ranking {
  struct Entry {
    std::string path;
    double score;
  };
  std::vector<Entry> kept;  // in the order of insertion
  std::string best_path;    // without a monitor the newest file; empty: none
  std::optional<double> best_score;
  std::optional<double> current_score;  // of the newest ranked file
  std::string kth_path;                 // the worst that is kept; empty until there are k
  double kth_value = 0;
  std::string last_path;  // the file or link named last; empty: none
};

class TopK {
 public:
  //   k  how many are kept; -1: all. Not 0
  TopK(int64_t k, bool larger_is_better) : k_(k), larger_is_better_(larger_is_better) {
    ranking_.kth_value = worst_score();
  }

  // Whether a file with this score is to be saved: there is room, or it is strictly better than the worst. NaN is
  // worse than everything.
  bool admits(double score) const { return !full() || better(score, ranking_.kept[worst()].score); }

  // Takes the worst entry out if there is no room for one more. Of equal ones the first inserted goes.
  std::optional<std::string> make_room() {
    if (!full()) return std::nullopt;
    const auto position = ranking_.kept.begin() + static_cast<std::ptrdiff_t>(worst());
    std::string path = std::move(position->path);
    ranking_.kept.erase(position);
    return path;
  }

  // Enters a file. A path that is there already keeps its place.
  void insert(const std::string& path, double score) {
    if (std::isnan(score)) score = worst_score();
    const size_t same = index_of(path);
    if (same == ranking_.kept.size()) ranking_.kept.push_back({path, score});
    ranking_.kept[same].score = score;
    ranking_.current_score = score;
    if (k_ < 0 || full()) {
      ranking_.kth_path = ranking_.kept[worst()].path;
      ranking_.kth_value = ranking_.kept[worst()].score;
    }
    ranking_.best_path = ranking_.kept[best()].path;
    ranking_.best_score = ranking_.kept[best()].score;
  }

  bool holds(const std::string& path) const { return index_of(path) != ranking_.kept.size(); }

  const Ranking& ranking() const { return ranking_; }
  Ranking& ranking() { return ranking_; }

 private:
  bool full() const { return k_ >= 0 && ranking_.kept.size() >= static_cast<size_t>(k_); }
  bool better(double a, double b) const { return larger_is_better_ ? a > b : a < b; }
  double worst_score() const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return larger_is_better_ ? -kInfinity : kInfinity;
  }
  size_t index_of(const std::string& path) const {
    size_t at = 0;
    while (at < ranking_.kept.size() && ranking_.kept[at].path != path) ++at;
    return at;
  }
  // The first inserted of equal ones, in both.
  size_t worst() const {
    size_t found = 0;
    for (size_t at = 1; at < ranking_.kept.size(); ++at) {
      if (better(ranking_.kept[found].score, ranking_.kept[at].score)) found = at;
    }
    return found;
  }
  size_t best() const {
    size_t found = 0;
    for (size_t at = 1; at < ranking_.kept.size(); ++at) {
      if (better(ranking_.kept[at].score, ranking_.kept[found].score)) found = at;
    }
    return found;
  }

  int64_t k_;
  bool larger_is_better_;
  Ranking ranking_;
};

}  // namespace checkpoint
