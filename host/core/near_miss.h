// Finds what the user probably meant, for messages about names that nobody knows.
#pragma once

#include <string>
#include <vector>

namespace mortise {

// The candidate that is the fewest typing slips away (a letter added, left out, wrong, or two swapped), or else the
// shortest one that the word begins. Case and hyphen against underscore count for nothing. Empty if nothing is near:
// more than a third of the letters differ.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

// "; did you mean 'x'?" to put at a message's end, or "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace mortise
