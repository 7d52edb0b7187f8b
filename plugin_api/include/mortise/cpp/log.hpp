// Lines for the user, in C++.
#pragma once

#include <mortise/cpp/service.hpp>

namespace mortise {

// A line that cannot be written is dropped: no run fails for its log. [any-thread]
class Log {
 public:
  explicit Log(const detail::Link& link) noexcept : link_(&link) {}

  // log().info("epoch {} took {:.1f} s", epoch, seconds)
  template <class... Args>
  void debug(Pattern<std::type_identity_t<Args>...> pattern, const Args&... args) const {
    write(MORTISE_LOG_DEBUG, format<Args...>(pattern, args...));
  }
  template <class... Args>
  void info(Pattern<std::type_identity_t<Args>...> pattern, const Args&... args) const {
    write(MORTISE_LOG_INFO, format<Args...>(pattern, args...));
  }
  template <class... Args>
  void warning(Pattern<std::type_identity_t<Args>...> pattern, const Args&... args) const {
    write(MORTISE_LOG_WARNING, format<Args...>(pattern, args...));
  }
  template <class... Args>
  void error(Pattern<std::type_identity_t<Args>...> pattern, const Args&... args) const {
    write(MORTISE_LOG_ERROR, format<Args...>(pattern, args...));
  }

  // One line as it is.
  //   level  MORTISE_LOG_*
  void write(uint32_t level, std::string_view line) const noexcept {
    if (detail::has(link_->log, &mortise_host_log_t::write)) link_->log->write(link_->ctx, level, to_str(line));
  }

 private:
  const detail::Link* link_;
};

}  // namespace mortise
