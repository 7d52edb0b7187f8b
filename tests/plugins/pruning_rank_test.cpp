// The radix select against a sort that can be believed at sight.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "plugins/pruning/rank.h"

namespace pruning {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();

// Sorts indices by magnitude, NaN last, and prunes the first k that are kept.
template <typename Real>
std::vector<uint8_t> prune_by_sorting(const std::vector<Real>& scores, std::vector<uint8_t> keep, uint64_t k) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (std::isnan(scores[a]) || std::isnan(scores[b])) return !std::isnan(scores[a]) && std::isnan(scores[b]);
    return std::fabs(scores[a]) < std::fabs(scores[b]);
  });
  for (const size_t i : order) {
    if (k == 0) break;
    if (keep[i] == 0) continue;
    keep[i] = 0;
    --k;
  }
  return keep;
}

template <typename Real>
std::vector<uint8_t> prune_by_rank(const std::vector<Real>& scores, std::vector<uint8_t> keep, uint64_t k) {
  const Piece<Real> piece{scores, keep};
  prune_smallest<Real>({&piece, 1}, k);
  return keep;
}

template <typename Real>
void expect_as_sorted(const std::vector<Real>& scores, const std::vector<uint8_t>& keep) {
  const uint64_t candidates = count_kept(keep);
  for (const uint64_t k : {uint64_t{0}, uint64_t{1}, candidates / 3, candidates / 2, candidates - 1, candidates}) {
    EXPECT_EQ(prune_by_rank(scores, keep, k), prune_by_sorting(scores, keep, k)) << k << " of " << candidates;
  }
}

template <typename Real>
std::vector<Real> random_scores(size_t size, int levels) {
  std::mt19937_64 seed(11);
  std::normal_distribution<Real> weight(0, Real(0.05));
  std::vector<Real> scores(size);
  // Few levels make many ties.
  for (auto& score : scores) score = levels == 0 ? weight(seed) : std::round(weight(seed) * levels) / levels;
  return scores;
}

std::vector<uint8_t> random_mask(size_t size) {
  std::mt19937 seed(5);
  std::vector<uint8_t> keep(size);
  for (auto& one : keep) one = seed() % 3 != 0;
  return keep;
}

TEST(PruningRank, PrunesWhatASortWould) {
  for (const size_t size : {1, 2, 31, 32, 33, 1000, 70001}) {
    SCOPED_TRACE(size);
    expect_as_sorted(random_scores<float>(size, 0), std::vector<uint8_t>(size, 1));
    expect_as_sorted(random_scores<double>(size, 0), std::vector<uint8_t>(size, 1));
  }
}

TEST(PruningRank, TakesTheLowestIndicesAmongEquals) {
  for (const int levels : {1, 20, 200}) {
    SCOPED_TRACE(levels);
    expect_as_sorted(random_scores<float>(5000, levels), std::vector<uint8_t>(5000, 1));
    expect_as_sorted(random_scores<double>(5000, levels), std::vector<uint8_t>(5000, 1));
  }
}

TEST(PruningRank, PassesOverWhatIsPrunedAlready) {
  for (const int levels : {0, 20}) {
    SCOPED_TRACE(levels);
    expect_as_sorted(random_scores<float>(5000, levels), random_mask(5000));
  }
}

TEST(PruningRank, OrdersZerosTinyNumbersInfinityAndNan) {
  const std::vector<float> scores{kNan, -kInf, 1.0f, -0.0f, kTiny, 0.0f, -kTiny, kInf, -kNan, -1.0f, 3e38f};
  const std::vector<uint8_t> keep(scores.size(), 1);
  expect_as_sorted(scores, keep);
  EXPECT_EQ(prune_by_rank(scores, keep, 2), (std::vector<uint8_t>{1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(prune_by_rank(scores, keep, 10), (std::vector<uint8_t>{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}));
}

TEST(PruningRank, TellsNeighboursInTheLastBitApart) {
  std::vector<float> scores{1.0f, std::nextafter(1.0f, 2.0f), std::nextafter(1.0f, 0.0f)};
  EXPECT_EQ(prune_by_rank(scores, {1, 1, 1}, 1), (std::vector<uint8_t>{1, 1, 0}));
  EXPECT_EQ(prune_by_rank(scores, {1, 1, 1}, 2), (std::vector<uint8_t>{0, 1, 0}));
}

TEST(PruningRank, RanksSeveralPiecesAsOneInTheirOrder) {
  const auto scores = random_scores<float>(3000, 20);
  const auto whole = random_mask(3000);
  auto keep = whole;
  const std::span<const float> values(scores);
  const std::span<uint8_t> mask(keep);
  const std::vector<Piece<float>> pieces{{values.first(0), mask.first(0)},
                                         {values.first(1001), mask.first(1001)},
                                         {values.subspan(1001), mask.subspan(1001)}};

  prune_smallest<float>(pieces, 1234);

  EXPECT_EQ(keep, prune_by_sorting(scores, whole, 1234));
}

TEST(PruningRank, SaysWhereTheCutIs) {
  const std::vector<float> scores{0.5f, -0.25f, 0.25f, 2.0f, 0.25f, 0.1f};
  std::vector<uint8_t> keep{1, 1, 1, 1, 0, 1};
  const Piece<float> piece{scores, keep};

  const Cut<float> cut = find_cut<float>({&piece, 1}, 2);

  EXPECT_EQ(cut.threshold, key_of(0.25f));
  EXPECT_EQ(cut.below, 1u);
  EXPECT_EQ(cut.equal, 2u);
}

}  // namespace
}  // namespace pruning
