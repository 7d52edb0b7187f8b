// From a class to the tables of the C interface. Used by plugin.h.
#pragma once

#include <mortise/cpp/event.hpp>
#include <mortise/cpp/host.hpp>
#include <mortise/plugin.h>

#include <cstddef>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>

// The oldest minor version of the host that this SDK's code runs on.
#ifndef MORTISE_ABI_MINOR_NEEDED
#define MORTISE_ABI_MINOR_NEEDED 0
#endif

namespace mortise::detail {

// Reached only while the compiler makes a note: the call does not compile, and its name is the message.
inline void text_is_too_long_for_the_note() {}
inline void id_may_hold_only_lower_case_digits_and_underscores() {}

template <std::size_t N>
consteval void copy_text(char (&target)[N], std::string_view text) {
  if (text.size() >= N) text_is_too_long_for_the_note();
  for (std::size_t i = 0; i < text.size(); ++i) target[i] = text[i];
}

consteval mortise_note_t make_note(std::string_view id, std::string_view version, std::string_view summary,
                                   uint32_t flags = 0) {
  mortise_note_t note{};
  copy_text(note.magic, MORTISE_NOTE_MAGIC);
  note.note_size = sizeof note;
  note.abi_major = MORTISE_ABI_MAJOR;
  note.abi_minor_needed = MORTISE_ABI_MINOR_NEEDED;
  note.abi_minor_built = MORTISE_ABI_MINOR;
  note.flags = flags;
  for (const char c : id) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) {
      id_may_hold_only_lower_case_digits_and_underscores();
    }
  }
  if (id.empty()) id_may_hold_only_lower_case_digits_and_underscores();
  copy_text(note.id, id);
  copy_text(note.version, version);
  copy_text(note.summary, summary);
  return note;
}

// Every event that takes a mortise_event_t.
// clang-format off
#define MORTISE_FOR_EACH_EVENT(X) \
  X(setup) X(teardown) \
  X(on_fit_start) X(on_fit_end) X(on_sanity_check_start) X(on_sanity_check_end) X(on_train_start) X(on_train_end) \
  X(on_train_epoch_start) X(on_train_epoch_end) X(on_train_batch_start) X(on_train_batch_end) \
  X(on_before_zero_grad) X(on_before_backward) X(on_after_backward) X(on_before_optimizer_step) \
  X(on_validation_start) X(on_validation_end) X(on_validation_epoch_start) X(on_validation_epoch_end) \
  X(on_validation_batch_start) X(on_validation_batch_end) \
  X(on_test_start) X(on_test_end) X(on_test_epoch_start) X(on_test_epoch_end) \
  X(on_test_batch_start) X(on_test_batch_end) \
  X(on_predict_start) X(on_predict_end) X(on_predict_epoch_start) X(on_predict_epoch_end) \
  X(on_predict_batch_start) X(on_predict_batch_end)
// clang-format on

// Has every special name once: a class that has one too makes the name ambiguous, whatever its access and arguments.
struct Names {
#define MORTISE_NAME(name) int name;
  MORTISE_FOR_EACH_EVENT(MORTISE_NAME)
  MORTISE_NAME(on_exception)
  MORTISE_NAME(state_save) MORTISE_NAME(state_load) MORTISE_NAME(shutdown)
  MORTISE_NAME(on_checkpoint_saved) MORTISE_NAME(on_checkpoint_loaded)
#undef MORTISE_NAME
};
template <class P>
struct Both : P, Names {};

// What an instance's pointer means to the host.
template <class P>
struct Instance {
  Instance(const mortise_host_t* host, mortise_ctx_t* ctx) : link(host, ctx) {}
  Link link;
  std::optional<P> plugin;
};

// Trampolines: find the object, call one method, let nothing out. Hidden, so that no symbol of it can be bound by
// another library and keep this one mapped.
template <class P>
struct __attribute__((visibility("hidden"))) Glue {
  inline static const mortise_host_t* host = nullptr;  // from the entry function

  template <class Work>
  static mortise_status_t enter(void* self, Work&& work) noexcept {
    auto& instance = *static_cast<Instance<P>*>(self);
    return guarded(instance.link, [&] { work(*instance.plugin); });
  }

// One function a name: the trampoline, or null if the class has no such method.
#define MORTISE_SLOT(name)                                                                           \
  static consteval mortise_event_fn_t slot_##name() {                                                \
    if constexpr (requires(P & p, const Event& e) { p.name(e); }) {                                  \
      return [](void* self, const mortise_event_t* event) noexcept -> mortise_status_t {             \
        return enter(self, [&](P& plugin) { plugin.name(Event(*event)); });                          \
      };                                                                                             \
    } else if constexpr (requires(P & p) { p.name(); }) {                                            \
      return [](void* self, const mortise_event_t*) noexcept -> mortise_status_t {                   \
        return enter(self, [](P& plugin) { plugin.name(); });                                        \
      };                                                                                             \
    } else {                                                                                         \
      static_assert(                                                                                 \
          requires { &Both<P>::name; }, #name " has to be public and take (const mortise::Event&)"); \
      return nullptr;                                                                                \
    }                                                                                                \
  }
  MORTISE_FOR_EACH_EVENT(MORTISE_SLOT)
#undef MORTISE_SLOT

  static consteval decltype(mortise_events_t::on_exception) slot_on_exception() {
    if constexpr (requires(P & p, const Failure& f) { p.on_exception(f); }) {
      return [](void* self, const mortise_exception_event_t* event) noexcept -> mortise_status_t {
        return enter(self, [&](P& plugin) { plugin.on_exception(Failure(*event)); });
      };
    } else if constexpr (requires(P & p) { p.on_exception(); }) {
      return [](void* self, const mortise_exception_event_t*) noexcept -> mortise_status_t {
        return enter(self, [](P& plugin) { plugin.on_exception(); });
      };
    } else {
      static_assert(
          requires { &Both<P>::on_exception; }, "on_exception has to be public and take (const Failure&)");
      return nullptr;
    }
  }

#define MORTISE_CHECKPOINT_SLOT(name)                                                                         \
  static consteval decltype(mortise_events_t::name) slot_##name() {                                           \
    if constexpr (requires(P & p, const CheckpointFile& f) { p.name(f); }) {                                  \
      return [](void* self, const mortise_checkpoint_event_t* event) noexcept -> mortise_status_t {           \
        return enter(self, [&](P& plugin) { plugin.name(CheckpointFile(*event)); });                          \
      };                                                                                                      \
    } else {                                                                                                  \
      static_assert(                                                                                          \
          requires { &Both<P>::name; }, #name " has to be public and take (const mortise::CheckpointFile&)"); \
      return nullptr;                                                                                         \
    }                                                                                                         \
  }
  MORTISE_CHECKPOINT_SLOT(on_checkpoint_saved)
  MORTISE_CHECKPOINT_SLOT(on_checkpoint_loaded)
#undef MORTISE_CHECKPOINT_SLOT

  static StateDict state_of(void* self, const mortise_state_event_t& event) noexcept {
    return {static_cast<Instance<P>*>(self)->link, event.state};
  }
  static consteval decltype(mortise_events_t::state_save) slot_state_save() {
    if constexpr (requires(P & p, StateDict state) { p.state_save(state); }) {
      return [](void* self, const mortise_state_event_t* event) noexcept -> mortise_status_t {
        return enter(self, [&](P& plugin) { plugin.state_save(state_of(self, *event)); });
      };
    } else {
      static_assert(
          requires { &Both<P>::state_save; }, "state_save has to be public and take (mortise::StateDict)");
      return nullptr;
    }
  }
  static consteval decltype(mortise_events_t::state_load) slot_state_load() {
    if constexpr (requires(P & p, StateDict state) { p.state_load(state); }) {
      return [](void* self, const mortise_state_event_t* event) noexcept -> mortise_status_t {
        return enter(self, [&](P& plugin) { plugin.state_load(state_of(self, *event)); });
      };
    } else {
      static_assert(
          requires { &Both<P>::state_load; }, "state_load has to be public and take (mortise::StateDict)");
      return nullptr;
    }
  }

  static consteval mortise_events_t events() {
    mortise_events_t table{};
    table.struct_size = sizeof table;
    if constexpr (requires { P::kPriority; }) table.priority = P::kPriority;
#define MORTISE_FILL(name) table.name = slot_##name();
    MORTISE_FOR_EACH_EVENT(MORTISE_FILL)
    MORTISE_FILL(on_exception)
    MORTISE_FILL(state_save)
    MORTISE_FILL(state_load)
    MORTISE_FILL(on_checkpoint_saved)
    MORTISE_FILL(on_checkpoint_loaded)
#undef MORTISE_FILL
    return table;
  }

  static mortise_status_t create(mortise_ctx_t* ctx, void** self) noexcept {
    auto* instance = new (std::nothrow) Instance<P>(host, ctx);
    if (instance == nullptr) return MORTISE_OUT_OF_MEMORY;
    const mortise_status_t status = guarded(instance->link, [&] { construct(*instance); });
    if (status != MORTISE_OK) {
      delete instance;
      return status;
    }
    *self = instance;
    return MORTISE_OK;
  }
  static void construct(Instance<P>& instance) {
    if constexpr (std::is_constructible_v<P, Host>) {
      instance.plugin.emplace(Host(instance.link));
    } else {
      static_cast<Host&>(instance.plugin.emplace()) = Host(instance.link);
    }
  }

  // The object ends here and not in destroy: what it owns is given back while services still work.
  static mortise_status_t shutdown(mortise_ctx_t*, void* self) noexcept {
    auto& instance = *static_cast<Instance<P>*>(self);
    mortise_status_t status = MORTISE_OK;
    if constexpr (requires(P & p) { p.shutdown(); }) {
      status = enter(self, [](P& plugin) { plugin.shutdown(); });
    } else {
      static_assert(
          requires { &Both<P>::shutdown; }, "shutdown has to be public and take nothing");
    }
    instance.plugin.reset();
    return status;
  }

  static void destroy(void* self) noexcept {
    auto* instance = static_cast<Instance<P>*>(self);
    instance->link.open = false;
    delete instance;
  }

  template <class T, std::size_t N>
  static consteval mortise_span_t span_of(const T (&items)[N]) {
    return {items, N, sizeof(T)};
  }

  static consteval mortise_plugin_t plugin(const mortise_note_t& note, const mortise_events_t& events) {
    mortise_plugin_t descriptor{};
    descriptor.struct_size = sizeof descriptor;
    descriptor.flags = note.flags;
    descriptor.id = to_str_constant(note.id);
    descriptor.version = to_str_constant(note.version);
    if constexpr (requires { P::kServices; }) descriptor.services = span_of(P::kServices);
    if constexpr (requires { P::kOptions; }) descriptor.options = span_of(P::kOptions);
    descriptor.instance_create = create;
    descriptor.shutdown = shutdown;
    descriptor.instance_destroy = destroy;
    descriptor.events = &events;
    if constexpr (requires { P::kStateVersion; }) descriptor.state_version = P::kStateVersion;
    if constexpr (requires { P::kBefore; }) descriptor.before = span_of(P::kBefore);
    if constexpr (requires { P::kAfter; }) descriptor.after = span_of(P::kAfter);
    return descriptor;
  }
  static consteval mortise_str_t to_str_constant(const char* text) { return {text, std::string_view(text).size()}; }
};

#undef MORTISE_FOR_EACH_EVENT

}  // namespace mortise::detail
