// UTF-8 in pickles and in messages about them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mortise::checkpoint {

// lone_surrogates  Python writes them, although UTF-8 has none
bool is_utf8(std::string_view text, bool lone_surrogates);

// The text's characters as bytes; none if one is above 255. REQUIRES: is_utf8
std::optional<std::string> latin1_from_utf8(std::string_view text);
std::string utf8_from_latin1(std::string_view bytes);

// For a message: printable ASCII, all else as \xNN, cut after some hundred characters.
std::string printable(std::string_view text);

}  // namespace mortise::checkpoint
