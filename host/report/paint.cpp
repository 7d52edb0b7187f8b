#include "host/report/paint.h"

namespace mortise::report {
namespace {

// The terminal's own palette, which its user has chosen to be readable.
const char* begin_of(Colour colour) {
  switch (colour) {
    case Colour::kGreen:
      return "\033[32m";
    case Colour::kYellow:
      return "\033[33m";
    case Colour::kRed:
      return "\033[1;31m";
    case Colour::kDim:
      return "\033[2m";
    case Colour::kPlain:
      break;
  }
  return "";
}

}  // namespace

std::string painted(const std::string& text, Colour colour, bool allowed) {
  if (!allowed || colour == Colour::kPlain || text.empty()) return text;
  return begin_of(colour) + text + "\033[0m";
}

Colour verdict_colour(const std::string& verdict) {
  if (verdict == "clean" || verdict == "PASS") return Colour::kGreen;
  if (verdict == "forced") return Colour::kYellow;
  if (verdict == "residue" || verdict == "quarantined" || verdict == "FAIL") return Colour::kRed;
  return Colour::kPlain;
}

}  // namespace mortise::report
