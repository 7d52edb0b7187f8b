// Text as pickles have it, which allows lone surrogates, unlike core/text.h; and text that is safe to show.
#include "host/checkpoint/text.h"

#include <cstdint>

namespace mortise::checkpoint {
namespace {

constexpr size_t kMaxPrintable = 200;

// Length of a character by its first byte; 0 if none begins so.
size_t length_of(uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 0;
}

// Over-long forms, surrogates and what lies above U+10FFFF show in the second byte.
bool second_byte_fits(uint8_t first, uint8_t second, bool lone_surrogates) {
  switch (first) {
    case 0xe0:
      return second >= 0xa0;
    case 0xed:
      return lone_surrogates || second < 0xa0;
    case 0xf0:
      return second >= 0x90;
    case 0xf4:
      return second < 0x90;
    default:
      return true;
  }
}

}  // namespace

bool is_utf8(std::string_view text, bool lone_surrogates) {
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<uint8_t>(text[i]);
    const size_t length = length_of(first);
    if (length == 0 || length > text.size() - i) return false;
    for (size_t j = 1; j < length; ++j) {
      if ((static_cast<uint8_t>(text[i + j]) & 0xc0) != 0x80) return false;
    }
    if (length > 1 && !second_byte_fits(first, static_cast<uint8_t>(text[i + 1]), lone_surrogates)) return false;
    i += length;
  }
  return true;
}

// REQUIRES: UTF-8, as every text of a pickle is.
std::optional<std::string> latin1_from_utf8(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<uint8_t>(text[i]);
    if (first < 0x80) {
      bytes += text[i];
    } else if (first <= 0xc3 && i + 1 < text.size()) {
      bytes += static_cast<char>((first & 0x03) << 6 | (static_cast<uint8_t>(text[++i]) & 0x3f));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

std::string utf8_from_latin1(std::string_view bytes) {
  std::string text;
  for (const char each : bytes) {
    const auto byte = static_cast<uint8_t>(each);
    if (byte < 0x80) {
      text += each;
    } else {
      text += static_cast<char>(0xc0 | byte >> 6);
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

// Names in a file may be anything, terminal control sequences among it.
std::string printable(std::string_view text) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string result;
  for (const char each : text.substr(0, kMaxPrintable)) {
    const auto byte = static_cast<uint8_t>(each);
    if (byte >= 0x20 && byte < 0x7f) {
      result += each;
    } else {
      result += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return text.size() > kMaxPrintable ? result + "..." : result;
}

}  // namespace mortise::checkpoint
