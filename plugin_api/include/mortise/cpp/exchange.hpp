// From plugin to plugin in C++: services that one offers and others call, and events of their own.
#pragma once

#include <mortise/exchange.h>

#include <deque>
#include <initializer_list>
#include <memory>
#include <mortise/cpp/tensor.hpp>
#include <mortise/cpp/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mortise {

// A tensor as an argument or an answer.
inline Value tensor_value(const TensorView& tensor) noexcept {
  return Value(mortise_value_t{MORTISE_VALUE_HANDLE, 0, {.handle = tensor.handle()}, 0});
}

// What another plugin passed. Borrowed, as everything in it.
class Args {
 public:
  Args(const detail::Link& link, const mortise_value_t* values, uint32_t count) noexcept
      : link_(&link), values_(values), count_(count) {}

  uint32_t size() const noexcept { return count_; }
  //   errors  Error with MORTISE_INVALID_ARGUMENT past the end
  Value operator[](uint32_t index) const {
    if (index < count_) return Value(values_[index]);
    throw Error(MORTISE_INVALID_ARGUMENT, format("argument {} is missing", index));
  }
  //   errors  Error with MORTISE_INVALID_ARGUMENT if it is none
  TensorView tensor(uint32_t index) const {
    const Value value = (*this)[index];
    if (!value.is_handle()) throw Error(MORTISE_INVALID_ARGUMENT, format("argument {} is no tensor", index));
    return {*link_, value.raw().as.handle};
  }

 private:
  const detail::Link* link_;
  const mortise_value_t* values_;
  uint32_t count_;
};

// Where a service puts its answers. One that the caller did not ask for is dropped.
class Answers {
 public:
  Answers(mortise_value_t* values, uint32_t count, std::deque<std::string>& texts) noexcept
      : values_(values), count_(count), texts_(&texts) {}

  uint32_t size() const noexcept { return count_; }
  // Text is copied and kept until the next call.
  void set(uint32_t index, Value value) {
    if (index >= count_) return;
    mortise_value_t raw = value.raw();
    if (value.is_text()) raw.as.text = texts_->emplace_back(value.as<std::string_view>()).data();
    values_[index] = raw;
  }
  void set(uint32_t index, const TensorView& tensor) { set(index, tensor_value(tensor)); }

 private:
  mortise_value_t* values_;
  uint32_t count_;
  std::deque<std::string>* texts_;
};

// A service that this plugin offers, until the object is destroyed. Holds the code that it runs.
template <class Work>
class Service {
 public:
  Service(const detail::Link& link, std::string_view id, Work work)
      : state_(std::make_unique<State>(State{&link, std::move(work), {}})) {
    detail::call(link, link.exchange, &mortise_host_exchange_t::offer, to_str(id), mortise_service_fn_t{&run},
                 static_cast<void*>(state_.get()), &handle_);
  }
  Service(Service&& other) noexcept : state_(std::move(other.state_)), handle_(std::exchange(other.handle_, 0)) {}
  ~Service() {
    if (handle_ == 0) return;
    detail::release(*state_->link, state_->link->exchange, &mortise_host_exchange_t::release, handle_);
  }

 private:
  struct State {
    const detail::Link* link;
    Work work;
    std::deque<std::string> texts;  // of the newest answers
  };
  static mortise_status_t run(void* user, uint32_t method, const mortise_value_t* args, uint32_t n_args,
                              mortise_value_t* rets, uint32_t n_rets) noexcept {
    State& state = *static_cast<State*>(user);
    return detail::guarded(*state.link, [&] {
      std::deque<std::string> texts;  // elements stay where they are when it is moved
      Answers answers(rets, n_rets, texts);
      state.work(method, Args(*state.link, args, n_args), answers);
      // Not before the end: the work may have been called once more from within.
      state.texts = std::move(texts);
    });
  }

  std::unique_ptr<State> state_;
  mortise_handle_t handle_ = 0;
};

// A service of another plugin. [train-thread] [load-thread]
class Use {
 public:
  Use(const detail::Link& link, mortise_handle_t handle) noexcept : link_(&link), handle_(handle) {}
  Use(Use&& other) noexcept : link_(other.link_), handle_(std::exchange(other.handle_, 0)) {}
  Use& operator=(Use&& other) noexcept {
    std::swap(link_, other.link_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Use() {
    if (handle_ != 0) detail::release(*link_, link_->exchange, &mortise_host_exchange_t::release, handle_);
  }

  // Calls a method; the answers, as many as are asked for. Text in them is valid until the next call of a service.
  //   errors  Error with MORTISE_NOT_FOUND if it is offered no more; else the service's own
  std::vector<Value> call(uint32_t method, std::initializer_list<Value> args = {}, uint32_t answers = 0) const {
    std::vector<mortise_value_t> in, out(answers);
    for (const Value& value : args) in.push_back(value.raw());
    detail::call(*link_, link_->exchange, &mortise_host_exchange_t::call, handle_, method,
                 static_cast<const mortise_value_t*>(in.data()), static_cast<uint32_t>(in.size()), out.data(), answers);
    std::vector<Value> values;
    for (const mortise_value_t& raw : out) values.emplace_back(raw);
    return values;
  }
  // A tensor among the answers; borrowed until the event returns.
  TensorView tensor(const Value& answer) const { return {*link_, answer.raw().as.handle}; }

 private:
  const detail::Link* link_;
  mortise_handle_t handle_;
};

// Receives an event until it is destroyed. Holds the code that it runs.
template <class Work>
class Subscription {
 public:
  Subscription(const detail::Link& link, std::string_view id, Work work)
      : state_(std::make_unique<State>(State{&link, std::move(work)})) {
    detail::call(link, link.exchange, &mortise_host_exchange_t::subscribe, to_str(id), mortise_event_handler_t{&run},
                 static_cast<void*>(state_.get()), &handle_);
  }
  Subscription(Subscription&& other) noexcept
      : state_(std::move(other.state_)), handle_(std::exchange(other.handle_, 0)) {}
  ~Subscription() {
    if (handle_ == 0) return;
    detail::release(*state_->link, state_->link->exchange, &mortise_host_exchange_t::release, handle_);
  }

 private:
  struct State {
    const detail::Link* link;
    Work work;
  };
  static mortise_status_t run(void* user, mortise_str_t, const mortise_value_t* args, uint32_t n_args) noexcept {
    State& state = *static_cast<State*>(user);
    return detail::guarded(*state.link, [&] { state.work(Args(*state.link, args, n_args)); });
  }

  std::unique_ptr<State> state_;
  mortise_handle_t handle_ = 0;
};

// [train-thread] [load-thread]
class Exchange {
 public:
  explicit Exchange(const detail::Link& link) noexcept : link_(&link) {}

  // Offers work(uint32_t method, Args, Answers&) under an id like "com.example.thing/1".
  template <class Work>
  [[nodiscard]] Service<Work> offer(std::string_view id, Work work) const {
    return Service<Work>(*link_, id, std::move(work));
  }
  // nullopt if nobody offers it.
  std::optional<Use> find(std::string_view id) const {
    mortise_handle_t use = 0;
    if (!detail::found(*link_, link_->exchange, &mortise_host_exchange_t::find, to_str(id), &use)) return std::nullopt;
    return Use(*link_, use);
  }
  // Receives events of an id with work(Args).
  template <class Work>
  [[nodiscard]] Subscription<Work> subscribe(std::string_view id, Work work) const {
    return Subscription<Work>(*link_, id, std::move(work));
  }
  // Raises an event.
  //   errors  Error with the first failure of those who receive it
  void raise(std::string_view id, std::initializer_list<Value> args = {}) const {
    std::vector<mortise_value_t> in;
    for (const Value& value : args) in.push_back(value.raw());
    detail::call(*link_, link_->exchange, &mortise_host_exchange_t::raise, to_str(id),
                 static_cast<const mortise_value_t*>(in.data()), static_cast<uint32_t>(in.size()));
  }

 private:
  const detail::Link* link_;
};

}  // namespace mortise
