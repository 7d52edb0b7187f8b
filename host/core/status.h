// How a call inside the host says that it failed: a code for the program, a text for the user.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace mortise {

// In few groups, each saying when to choose it.
enum class Code {
  kOk,
  kUsage,        // the user's mistake, found before the first step: exit status 2
  kNotFound,     // a thing asked for by name is not there
  kData,         // a file's contents are wrong, cut or of another kind
  kIo,           // the system refused a file operation
  kPlugin,       // a plugin refused, failed or is unfit
  kTorch,        // libtorch failed: out of memory, shapes, devices
  kInterrupted,  // a signal or the user asked to stop: exit status 130
  kInternal,     // cannot happen; a fault of the host
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }

  // The same failure with words in front: where it happened.
  Status within(const std::string& where) const { return ok() ? *this : Status(code_, where + ": " + message_); }

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

// A value, or why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}
  Result(Status status) : held_(std::move(status)) {}

  bool ok() const { return held_.index() == 0; }
  Status status() const { return ok() ? Status() : std::get<1>(held_); }

  // REQUIRES: ok()
  T& operator*() & { return std::get<0>(held_); }
  const T& operator*() const& { return std::get<0>(held_); }
  T&& operator*() && { return std::get<0>(std::move(held_)); }
  T* operator->() { return &std::get<0>(held_); }
  const T* operator->() const { return &std::get<0>(held_); }

 private:
  std::variant<T, Status> held_;
};

}  // namespace mortise

// Leaves the function with the failure, if there is one. A macro because it returns for its caller.
#define MORTISE_RETURN_IF_ERROR(expression)            \
  do {                                                 \
    ::mortise::Status mortise_status_ = (expression);  \
    if (!mortise_status_.ok()) return mortise_status_; \
  } while (false)
