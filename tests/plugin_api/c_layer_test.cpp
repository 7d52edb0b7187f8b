// The C layer's functions against a host of two functions; what its macro makes is loaded by tests/examples.
#include <gtest/gtest.h>
#include <mortise/c/plugin.h>

#include <string>

const mortise_host_t* mortise_c_host = nullptr;

namespace {

struct CLayer : testing::Test {
  void SetUp() override { mortise_c_host = &host; }

  static std::string format(size_t size, const char* pattern, ...) {
    std::string buffer(size, '?');
    va_list arguments;
    va_start(arguments, pattern);
    const mortise_str_t text = mortise_format(buffer.data(), size, pattern, arguments);
    va_end(arguments);
    return {text.ptr, text.len};
  }

  inline static std::string line, error;
  inline static const mortise_host_log_t log = [] {
    mortise_host_log_t table{};
    table.struct_size = sizeof table;
    table.write = [](mortise_ctx_t*, uint32_t level, mortise_str_t text) noexcept -> mortise_status_t {
      line = std::to_string(level) + " " + std::string(text.ptr, text.len);
      return MORTISE_OK;
    };
    table.set_error = [](mortise_ctx_t*, mortise_str_t text) noexcept { error.assign(text.ptr, text.len); };
    return table;
  }();
  inline static const mortise_host_t host = [] {
    mortise_host_t table{};
    table.struct_size = sizeof table;
    table.get_service = [](mortise_ctx_t*, mortise_str_t id, const void** found) noexcept -> mortise_status_t {
      const bool known = std::string(id.ptr, id.len) == MORTISE_LOG;
      *found = known ? &log : nullptr;
      return known ? MORTISE_OK : MORTISE_NOT_FOUND;
    };
    return table;
  }();
};

TEST_F(CLayer, CutsATextAtTheEndOfACharacter) {
  EXPECT_EQ(format(8, "%s", "abcdefg"), "abcdefg");
  EXPECT_EQ(format(8, "%s", "abcdefgh"), "abcdefg");
  EXPECT_EQ(format(8, "%s", "abcdef\u00e9"), "abcdef");
  EXPECT_EQ(format(8, "%s", "abcd\u20ac\u20ac"), "abcd\u20ac");
  EXPECT_EQ(format(8, "%s", "abcd\U0001F600"), "abcd");
  EXPECT_EQ(format(8, "%s", "\u20ac\u20ac\u20ac"), "\u20ac\u20ac");
}

TEST_F(CLayer, SaysALineOfTheGivenLevel) {
  EXPECT_EQ(mortise_say(nullptr, MORTISE_LOG_WARNING, "%d of %s", 3, "four"), MORTISE_OK);

  EXPECT_EQ(line, std::to_string(MORTISE_LOG_WARNING) + " 3 of four");
}

TEST_F(CLayer, SetsAnErrorsTextAndGivesItsStatus) {
  EXPECT_EQ(mortise_fail(nullptr, "no %s", "cheese"), MORTISE_PLUGIN_FAILED);

  EXPECT_EQ(error, "no cheese");
}

TEST_F(CLayer, FindsNoTableThatTheHostLacks) {
  EXPECT_EQ(mortise_find(nullptr, MORTISE_LOG), &log);
  EXPECT_EQ(mortise_find(nullptr, "mortise.cheese/1"), nullptr);
}

}  // namespace
