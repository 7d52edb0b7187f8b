// What a plugin is: a note that is read without running it, an entry function, a descriptor, an instance.
//
// The host reads the note from the file, opens a private copy, calls the entry function once, then for each name in the
// plugin list: instance_create, events (event.h), shutdown, instance_destroy; then it closes the library and checks
// that it is unmapped. What the plugin made through the host and did not release is released by the host between
// instance_destroy and the close.
#pragma once

#include "base.h"
#include "event.h"
#include "version.h"

// Name of the only exported function and of the note's object and section. The major version is in the name, so that
// a wrong one is a missing symbol and one file can serve two.
#define MORTISE_ENTRY mortise_plugin_entry_v1
#define MORTISE_ENTRY_NAME "mortise_plugin_entry_v1"
#define MORTISE_NOTE_NAME "mortise_plugin_note"
#define MORTISE_NOTE_SECTION ".mortise"
#define MORTISE_NOTE_MAGIC "MORTISE"

#if defined(__GNUC__)
#define MORTISE_EXPORT __attribute__((visibility("default")))
#define MORTISE_IN_NOTE_SECTION __attribute__((section(MORTISE_NOTE_SECTION), used))
#else
#define MORTISE_EXPORT
#define MORTISE_IN_NOTE_SECTION
#endif

// Flags of a plugin, in note and descriptor alike. Never renumber.
enum {
  // on_train_epoch_end comes after the model's own
  MORTISE_PLUGIN_MONITORING = 1u << 0,
  // stays at the end of the list; implies MONITORING
  MORTISE_PLUGIN_CHECKPOINTING = 1u << 1,
  // changes nothing of the model, the optimiser or the run; what would change them answers MORTISE_DENIED
  MORTISE_PLUGIN_OBSERVER = 1u << 2,
  // contains device code linked by nvcc
  MORTISE_PLUGIN_LINKS_CUDA = 1u << 3,
  // starts threads itself and ends them in shutdown
  MORTISE_PLUGIN_OWN_THREADS = 1u << 4,
  // links libtorch: built for one version of it, and allocates past the host
  MORTISE_PLUGIN_LINKS_TORCH = 1u << 5,
};

// Read from the file by name of section, before any code of the plugin runs. FROZEN. Texts end in a zero byte.
typedef struct mortise_note {
  // MORTISE_NOTE_MAGIC
  char magic[8];
  // sizeof(mortise_note_t)
  uint32_t note_size;
  // MORTISE_ABI_MAJOR of the headers it was built with
  uint32_t abi_major;
  // the oldest host minor version that it runs on
  uint32_t abi_minor_needed;
  // MORTISE_ABI_MINOR of those headers
  uint32_t abi_minor_built;
  // MORTISE_PLUGIN_*
  uint32_t flags;
  // 0
  uint32_t reserved;
  // what --plugins names: lower case, digits, underscores
  char id[64];
  // the plugin's own
  char version[32];
  // one line: what it does
  char summary[128];
} mortise_note_t;

// What the host gives to the entry function. GROWABLE. Valid as long as the plugin is loaded.
typedef struct mortise_host {
  uint32_t struct_size;
  // MORTISE_ABI_MAJOR of the host
  uint32_t abi_major;
  // MORTISE_ABI_MINOR of the host: what is newer is not there
  uint32_t abi_minor;
  uint32_t reserved;
  // "mortise"
  mortise_str_t name;
  // the host's
  mortise_str_t version;

  // Finds a service table by its id, such as MORTISE_LOG "mortise.log/1". The table stays valid as long as the plugin
  // is loaded.
  //   ctx     null inside the entry function, else the caller's
  //   errors  MORTISE_NOT_FOUND: this host has no such service; *table is null
  // [any-thread]
  mortise_status_t (*get_service)(mortise_ctx_t* ctx, mortise_str_t id, const void** table) MORTISE_NOEXCEPT;
} mortise_host_t;

struct mortise_option;  // option.h

// What a plugin is, in full. GROWABLE, static and const: the plugin owns it, the host reads it while it is loaded.
typedef struct mortise_plugin {
  uint32_t struct_size;
  // as in the note
  uint32_t flags;
  // as in the note
  mortise_str_t id;
  // as in the note
  mortise_str_t version;
  // of mortise_str_t: ids it cannot do without; missing ones are refused at load, by name
  mortise_span_t services;
  // of mortise_option_t: all that it takes
  mortise_span_t options;

  // Makes an instance. The options are set already (option.h).
  //   self    receives the plugin's own pointer; given back in every call
  //   errors  any, with a text (log.h); the instance then does not exist and instance_destroy is not called
  // [load-thread]
  mortise_status_t (*instance_create)(mortise_ctx_t* ctx, void** self) MORTISE_NOEXCEPT;

  // Asks the instance to stop what it started: end threads, finish files. Last chance to call services. May be null.
  // [load-thread]
  mortise_status_t (*shutdown)(mortise_ctx_t* ctx, void* self) MORTISE_NOEXCEPT;

  // Ends the instance and frees its memory. No service may be called any more.
  // [load-thread]
  void (*instance_destroy)(void* self) MORTISE_NOEXCEPT;

  // Moments of a run, a null slot costs nothing. The plugin owns it.
  const mortise_events_t* events;

  // Finds an extension of the plugin by id; null if there is none. May be null.
  // [any-thread]
  const void* (*get_extension)(mortise_str_t id)MORTISE_NOEXCEPT;

  // Version of what state_save writes, the plugin's own count; state_load is told the one that wrote. since 1.1
  uint32_t state_version;
  uint32_t reserved;
  // of mortise_str_t: ids or instance names of plugins that this one is called before, among those of its group and
  // priority. Names that are not loaded are passed over; a circle is refused at load. since 1.1
  mortise_span_t before;
  // the same: called after. since 1.1
  mortise_span_t after;
} mortise_plugin_t;

// The entry function that a plugin exports.
//   plugin  receives the descriptor
//   errors  any other status refuses the load
// [load-thread]
typedef mortise_status_t (*mortise_entry_t)(const mortise_host_t* host, const mortise_plugin_t** plugin);
MORTISE_EXTERN_C MORTISE_EXPORT mortise_status_t MORTISE_ENTRY(const mortise_host_t* host,
                                                               const mortise_plugin_t** plugin) MORTISE_NOEXCEPT;
