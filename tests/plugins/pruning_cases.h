// Recorded prunes as tensors and methods, and what must hold for any choice that is legal.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "plugins/pruning/method.h"
#include "tests/support/vectors.h"

namespace pruning::testing {

using mortise::support::load_vectors;
using mortise::support::vector_floats;
using mortise::support::vector_number;
using nlohmann::json;

// One tensor of a case with its mask.
struct Tensor {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<float> scores;
  std::vector<uint8_t> keep;

  Subject<float> subject() { return {name, shape, scores, keep}; }
  uint64_t zeros() const { return keep.size() - count_kept(keep); }
};

inline Amount amount_of(const json& amount) {
  if (amount.contains("int")) return amount["int"].get<int64_t>();
  return vector_number(amount.at("float"));
}

// Ranked by importance_scores where given, else by its values.
inline Tensor tensor_of(const json& recorded) {
  const bool has_scores = recorded.contains("importance_scores") && !recorded["importance_scores"].is_null();
  Tensor tensor{recorded.value("name", "weight"),
                recorded["shape"].get<std::vector<int64_t>>(),
                vector_floats(recorded[has_scores ? "importance_scores" : "values"]),
                {}};
  tensor.keep.assign(tensor.scores.size(), 1);
  return tensor;
}

inline std::vector<uint8_t> mask_of(const json& text) {
  std::vector<uint8_t> keep;
  for (const char digit : text.get_ref<const std::string&>()) keep.push_back(digit == '1');
  return keep;
}

inline std::string text_of(std::span<const uint8_t> keep) {
  std::string text;
  for (const uint8_t one : keep) text += one ? '1' : '0';
  return text;
}

// n as the sets write it: a number, or the text that a user would give.
inline double norm_of(const json& n) { return n.is_string() ? *parse_norm(n.get<std::string>()) : n.get<double>(); }

inline std::vector<Subject<float>> subjects_of(std::vector<Tensor>& tensors) {
  std::vector<Subject<float>> subjects;
  for (auto& tensor : tensors) subjects.push_back(tensor.subject());
  return subjects;
}

// The same prune as the plugin does it, random numbers from a fixed seed.
inline void prune(const Method& method, std::vector<Tensor>& tensors) {
  const auto subjects = subjects_of(tensors);
  ASSERT_EQ(fault_in<float>(method, subjects), "");
  pruning::prune<float>(method, subjects, std::mt19937_64(7));
}

// What one choice chose from: candidates (entries, or channels) with their scores, before and after.
struct Choice {
  std::vector<float> scores;
  std::vector<uint8_t> before;
  std::vector<uint8_t> after;
};

// All entries of the tensors, in the order of the list.
inline Choice entries_of(const std::vector<Tensor>& before, const std::vector<Tensor>& after) {
  Choice choice;
  for (size_t i = 0; i < before.size(); ++i) {
    choice.scores.insert(choice.scores.end(), before[i].scores.begin(), before[i].scores.end());
    choice.before.insert(choice.before.end(), before[i].keep.begin(), before[i].keep.end());
    choice.after.insert(choice.after.end(), after[i].keep.begin(), after[i].keep.end());
  }
  return choice;
}

// The channels of one tensor by their norms.
inline Choice channels_of(const Method& method, const Tensor& before, const Tensor& after) {
  const Channels channels = *channels_along(before.shape, method.dim);
  return {channel_norms<float>(channels, before.scores, method.norm), channels_left(channels, before.keep),
          channels_left(channels, after.keep)};
}

constexpr double kNormsTied = 1e-3;      // norms so close count as equal, by the sets' own rule
constexpr double kNormTolerance = 1e-5;  // the order of summation is free

inline bool equal_number(double a, double b, double relative) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || (std::isfinite(a) && std::isfinite(b) && std::fabs(a - b) <= relative * std::fabs(b));
}

// Holds for every legal choice, and for the rule among equals that is ours: the lowest index first.
inline void expect_legal(const Choice& choice, uint64_t k) {
  uint64_t newly = 0;
  uint32_t last_pruned = 0;
  uint32_t first_kept = UINT32_MAX;
  for (size_t i = 0; i < choice.before.size(); ++i) {
    ASSERT_LE(choice.after[i], choice.before[i]) << "entry " << i << " came back";
    if (choice.before[i] == 0) continue;
    const uint32_t key = key_of(choice.scores[i]);
    if (choice.after[i] == 0) {
      ++newly;
      last_pruned = std::max(last_pruned, key);
      EXPECT_LT(key, first_kept) << "entry " << i << " went before an equal one of lower index";
    } else {
      first_kept = std::min(first_kept, key);
    }
  }
  EXPECT_EQ(newly, k);
  EXPECT_LE(last_pruned, first_kept);
}

// The recorded description of a choice.
//   tied  scores so close, relatively, count as equal: 0 for entries
inline void expect_selection(const json& selection, const Choice& choice, double tied) {
  const uint64_t k = selection["k"];
  EXPECT_EQ(count_kept(choice.before), selection["candidates"]);
  expect_legal(choice, k);
  if (selection["threshold"].is_null()) return;

  std::vector<uint8_t> keep = choice.before;
  const Piece<float> piece{choice.scores, keep};
  const float threshold = std::bit_cast<float>(find_cut<float>({&piece, 1}, k).threshold);
  const auto expected = static_cast<float>(vector_number(selection["threshold"]));
  EXPECT_TRUE(equal_number(threshold, expected, tied > 0.0 ? kNormTolerance : 0.0)) << threshold;

  uint64_t below = 0;
  uint64_t equal = 0;
  for (size_t i = 0; i < choice.scores.size(); ++i) {
    if (choice.before[i] == 0) continue;
    const bool same = equal_number(std::fabs(choice.scores[i]), threshold, tied);
    equal += same;
    below += !same && key_of(choice.scores[i]) < key_of(threshold);
  }
  EXPECT_EQ(below, selection["below"]);
  EXPECT_EQ(equal, selection["equal"]);
}

// Whether only one choice was legal.
inline bool is_unique(const json& selection) {
  return selection["k"] == 0 ||
         selection["below"].get<uint64_t>() + selection["equal"].get<uint64_t>() == selection["k"];
}

}  // namespace pruning::testing
