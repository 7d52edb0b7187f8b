#include "host/core/near_miss.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace mortise {
namespace {

constexpr size_t kShortestPrefix = 3;  // fewer letters begin too many things

// Names are compared in one spelling: "--max-epochs" and "max_epochs" are the same option.
std::string folded(std::string word) {
  for (char& letter : word) {
    letter = letter == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return word;
}

// Damerau-Levenshtein distance in its restricted form: no part is edited twice. Three rows are all it looks back on.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> two_up(b.size() + 1), up(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) up[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = up[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({up[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_up[j - 2] + 1);
    }
    two_up.swap(up);
    up.swap(row);
  }
  return up[b.size()];
}

// A third of the letters may differ, one at least, but never all of the shorter word: "a" is not near "b".
bool is_near(size_t slips, size_t length_a, size_t length_b) {
  const size_t allowed = std::max<size_t>(1, std::max(length_a, length_b) / 3);
  return slips <= allowed && slips < std::min(length_a, length_b);
}

// The second try: people shorten names ("acc" for "accelerator") more than a few slips allow.
std::string shortest_beginning_with(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  if (word.size() < kShortestPrefix) return best;
  for (const std::string& candidate : candidates) {
    const bool begins = folded(candidate).compare(0, word.size(), word) == 0;
    if (begins && (best.empty() || candidate.size() < best.size())) best = candidate;
  }
  return best;
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string wanted = folded(word);
  std::string best;
  size_t fewest = std::string::npos;
  for (const std::string& candidate : candidates) {
    const size_t slips = distance(wanted, folded(candidate));
    // The first of equals stays, so that the answer depends on the order of the candidates alone.
    if (slips < fewest && is_near(slips, wanted.size(), candidate.size())) {
      fewest = slips;
      best = candidate;
    }
  }
  return best.empty() ? shortest_beginning_with(wanted, candidates) : best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

}  // namespace mortise
