// Everything for a plugin in C++: a class with the events that it wants, and one line that makes a plugin of it.
//
//   #include <mortise/cpp/plugin.hpp>
//   struct Hello : mortise::Callback {
//     void on_train_epoch_end(const mortise::Event& event) { log().info("epoch {} is done", event.epoch); }
//   };
//   MORTISE_PLUGIN(Hello, "hello", "1.0.0", "Says when an epoch is done")
//
// What the class may have, all of it public and optional:
//   Hello(mortise::Host host) : Callback(host)  reads options and sets the state key; a throw refuses the instance
//   void on_...(const mortise::Event&)          an event of event.h, or setup or teardown; the argument may be left out
//   void on_exception(const mortise::Failure&)
//   void on_checkpoint_saved(const mortise::CheckpointFile&), void on_checkpoint_loaded(const mortise::CheckpointFile&)
//   void state_save(mortise::StateDict), void state_load(mortise::StateDict)
//   void shutdown()                             ends threads; the destructor follows while services still work
//   static constexpr mortise::Option kOptions[]
//   static constexpr mortise_str_t kServices[]  ids of services that it cannot do without
//   static constexpr int32_t kPriority          place among the plugins (mortise_events_t)
//   static constexpr mortise_str_t kBefore[]    plugins that it is called before, by id or name; kAfter[] likewise
//   static constexpr uint32_t kStateVersion     of what state_save writes
#pragma once

#include <mortise/cpp/glue.hpp>
#include <mortise/cpp/host.hpp>

namespace mortise {

// Base of a plugin's class: the host's services as members. Whatever an event throws ends the run with its text.
class Callback : public Host {
 public:
  Callback() noexcept = default;
  Callback(Host host) noexcept : Host(host) {}  // NOLINT: a class without a constructor is made from a Host
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
};

}  // namespace mortise

// MORTISE_PLUGIN(Class, id, version, summary [, flags]), once in a plugin, outside any namespace.
//   id       lower case, digits, underscores; at most 63 bytes
//   version  the plugin's own; at most 31 bytes
//   summary  one line: what it does; at most 127 bytes
//   flags    MORTISE_PLUGIN_*, joined by |; 0 if left out
#define MORTISE_PLUGIN(Class, id, ...)                                                                              \
  extern "C" MORTISE_EXPORT const mortise_note_t mortise_plugin_note;                                               \
  MORTISE_IN_NOTE_SECTION constexpr mortise_note_t mortise_plugin_note =                                            \
      ::mortise::detail::make_note(id, __VA_ARGS__);                                                                \
  extern "C" mortise_status_t MORTISE_ENTRY(const mortise_host_t* host, const mortise_plugin_t** plugin) noexcept { \
    static constexpr mortise_events_t events = ::mortise::detail::Glue<Class>::events();                            \
    static constexpr mortise_plugin_t self = ::mortise::detail::Glue<Class>::plugin(mortise_plugin_note, events);   \
    ::mortise::detail::Glue<Class>::host = host;                                                                    \
    *plugin = &self;                                                                                                \
    return MORTISE_OK;                                                                                              \
  }
