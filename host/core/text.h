// Text for people: sizes, durations, numbers, and widths as a terminal shows them. No locale takes part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mortise {

// Whether the bytes are UTF-8 as RFC 3629 has it: no overlong form, no surrogate, nothing above U+10FFFF.
bool valid_utf8(std::string_view bytes);

// Columns on a terminal: 0 for a combining mark, 2 for East Asian wide and emoji, else 1. A broken byte counts 1.
size_t display_width(std::string_view text);

// The text with spaces up to `width` columns; a longer one unchanged. pad_left puts the spaces in front, for numbers.
std::string pad_right(std::string_view text, size_t width);
std::string pad_left(std::string_view text, size_t width);

// The text in at most `width` columns; what is longer ends in "…".
std::string crop(std::string_view text, size_t width);
// The same with the end kept, which is what tells paths apart: "…layer4.1.bn2.weight".
std::string crop_front(std::string_view text, size_t width);

std::string join(const std::vector<std::string>& parts, std::string_view between);
// "a, b or c": what is allowed, in a sentence.
std::string join_or(const std::vector<std::string>& parts);
// Without the spaces and tabs at both ends.
std::string trimmed(std::string_view text);
// The parts between separators, trimmed; an empty text has none.
std::vector<std::string> split(std::string_view text, char separator);

// "512 B", "42.7 MiB": powers of 1024, one digit behind the point.
std::string human_bytes(int64_t bytes);
// "850 us", "12.3 ms", "4.21 s", "3:07", "1:02:33".
std::string human_duration(double seconds);
// "00:12", "1:02:33": for a clock that runs; "?" if not finite.
std::string clock_time(double seconds);
// With so many digits behind the point; "nan", "inf", "-inf".
std::string fixed(double value, int digits);
// At most so many digits in all, none that say nothing: "0.412", "1e-08", "3".
std::string compact(double value, int digits);

}  // namespace mortise
