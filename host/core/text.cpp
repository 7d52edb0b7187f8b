// Numbers by to_chars and widths by own tables, because printf, streams and wcwidth depend on the locale.
#include "host/core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace mortise {
namespace {

// One code point, or one byte that begins none.
struct Letter {
  char32_t code = 0;
  size_t bytes = 1;
  bool valid = false;
};

struct Range {
  char32_t first, last;
};

// Not all of Unicode's tables: the blocks that turn up in names and paths.
constexpr Range kNoWidth[] = {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
constexpr Range kTwoWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xAC00, 0xD7A3},
                              {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6},
                              {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <size_t N>
bool within(char32_t code, const Range (&ranges)[N]) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [code](const Range& range) { return code >= range.first && code <= range.last; });
}

// The letter that the text begins with.
Letter first_letter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  // The lead byte tells the length; 0x80 to 0xC1 and 0xF5 up begin nothing.
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0x7F >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    code = (code << 6) | (next & 0x3F);
  }
  // The least code point of each length: what is below is an overlong form.
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[bytes] || surrogate || code > 0x10FFFF) return {};
  return {code, bytes, true};
}

size_t width_of(const Letter& letter) {
  if (!letter.valid) return 1;
  if (within(letter.code, kNoWidth)) return 0;
  return within(letter.code, kTwoWide) ? 2 : 1;
}

std::string two_digits(int64_t value) { return std::string(value < 10 ? "0" : "") + std::to_string(value); }

std::string formatted(double value, std::chars_format format, int digits) {
  // Which sign a NaN has is an accident of the processor's.
  if (std::isnan(value)) return "nan";
  std::array<char, 512> buffer;  // the largest double has 309 digits before the point
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, digits);
  return error == std::errc() ? std::string(buffer.data(), end) : "?";
}

}  // namespace

bool valid_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const Letter letter = first_letter(bytes);
    if (!letter.valid) return false;
    bytes.remove_prefix(letter.bytes);
  }
  return true;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    width += width_of(letter);
    text.remove_prefix(letter.bytes);
  }
  return width;
}

std::string pad_right(std::string_view text, size_t width) {
  const size_t used = display_width(text);
  return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, size_t width) {
  const size_t used = display_width(text);
  return std::string(width > used ? width - used : 0, ' ') + std::string(text);
}

// Cut between code points, never inside one: half a character would spoil the terminal.
std::string crop(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::string kept;
  size_t used = 0;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    used += width_of(letter);
    if (used > width - 1) break;  // one column is the ellipsis's
    kept.append(text.substr(0, letter.bytes));
    text.remove_prefix(letter.bytes);
  }
  return kept + "…";
}

std::string crop_front(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  while (display_width(text) > width - 1) text.remove_prefix(first_letter(text).bytes);
  return "…" + std::string(text);
}

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string joined;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) joined += between;
    joined += parts[i];
  }
  return joined;
}

std::string join_or(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return join(parts, "");
  return join({parts.begin(), parts.end() - 1}, ", ") + " or " + parts.back();
}

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  // An empty text has no parts, where the loop below would find one empty part.
  if (trimmed(text).empty()) return parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string human_bytes(int64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = std::abs(static_cast<double>(bytes));
  if (value < 1024) return std::to_string(bytes) + " B";
  size_t unit = 0;
  // 1023.95 and more would be written as 1024.0.
  for (value /= 1024; value >= 1023.95 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return std::string(bytes < 0 ? "-" : "") + fixed(value, 1) + ' ' + kUnits[unit];
}

// Limits lie where rounding would carry into the next unit: 0.9996 s is "1.00 s", not "1000 ms".
std::string human_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds < 0.0009995) return fixed(seconds * 1e6, 0) + " us";
  if (seconds < 0.9995) return fixed(seconds * 1e3, seconds < 0.09995 ? 1 : 0) + " ms";
  if (seconds < 9.995) return fixed(seconds, 2) + " s";
  if (seconds < 59.95) return fixed(seconds, 1) + " s";
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 3600) return std::to_string(whole / 60) + ":" + two_digits(whole % 60);
  return clock_time(seconds);
}

std::string clock_time(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e9) return "?";
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  const std::string minutes = two_digits(whole / 60 % 60) + ":" + two_digits(whole % 60);
  return whole < 3600 ? minutes : std::to_string(whole / 3600) + ":" + minutes;
}

std::string fixed(double value, int digits) { return formatted(value, std::chars_format::fixed, digits); }

std::string compact(double value, int digits) { return formatted(value, std::chars_format::general, digits); }

}  // namespace mortise
