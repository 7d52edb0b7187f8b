// Colour for words on a terminal, where it was asked for.
#pragma once

#include <string>

namespace mortise::report {

enum class Colour { kPlain, kGreen, kYellow, kRed, kDim };

// The text in a colour, or as it is.
//   allowed  false leaves out every escape sequence
std::string painted(const std::string& text, Colour colour, bool allowed);

// Green for what is good ("clean", "PASS"), yellow for what the host had to do ("forced"), red for what is left
// ("residue", "quarantined", "FAIL"); anything else is plain.
Colour verdict_colour(const std::string& verdict);

}  // namespace mortise::report
