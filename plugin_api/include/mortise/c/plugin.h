// Everything for a plugin in C: one macro that makes its note, descriptor and entry function, and lines for the user.
//
//   #include <mortise/c/plugin.h>
//
//   static mortise_status_t on_train_epoch_end(void* self, const mortise_event_t* event) {
//     return mortise_say(self, MORTISE_LOG_INFO, "epoch %llu is done", (unsigned long long)event->epoch);
//   }
//   static const mortise_events_t events = {.struct_size = sizeof events, .on_train_epoch_end = on_train_epoch_end};
//   MORTISE_C_PLUGIN("hello", "1.0.0", "Says when an epoch is done", 0, MORTISE_STATELESS, .events = &events)
//
// It is compiled into the plugin and no part of the interface: what it does can be written by hand from the other
// headers.
#pragma once

#include <mortise/mortise.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A mortise_str_t of a literal, as an initialiser: .key = MORTISE_TEXT("patience").
#define MORTISE_TEXT(literal) \
  { (literal), sizeof(literal) - 1 }

// A mortise_span_t of an array, as an initialiser: .options = MORTISE_SPAN(options).
#define MORTISE_SPAN(array) \
  { (array), sizeof(array) / sizeof((array)[0]), sizeof((array)[0]) }

// The oldest minor version of the host that the plugin runs on; defined before this file, where it needs a newer one.
#ifndef MORTISE_ABI_MINOR_NEEDED
#define MORTISE_ABI_MINOR_NEEDED 0
#endif

// What the entry function was given. Defined by MORTISE_C_PLUGIN, so that all files of a plugin share it.
extern const mortise_host_t* mortise_c_host;

// A service's table by its id, MORTISE_LOG and so on; null if this host has none. Ask MORTISE_HAS before calling what
// is newer than MORTISE_ABI_MINOR_NEEDED.
static inline const void* mortise_find(mortise_ctx_t* ctx, const char* id) {
  const mortise_str_t text = {id, strlen(id)};
  const void* table = NULL;
  return mortise_c_host->get_service(ctx, text, &table) == MORTISE_OK ? table : NULL;
}

// Writes a text into a buffer, as vsnprintf does, and cuts it at the end of a character.
static inline mortise_str_t mortise_format(char* buffer, size_t size, const char* format, va_list arguments) {
  const int wanted = vsnprintf(buffer, size, format, arguments);
  const mortise_str_t none = {buffer, 0};
  if (wanted < 0) return none;
  size_t length = (size_t)wanted;
  if (length >= size) {
    // In UTF-8 every byte of a character but the first is 10xxxxxx, and the first says how many there are.
    size_t lead = length = size - 1;
    while (lead > 0 && (buffer[lead - 1] & 0xC0) == 0x80) --lead;
    const unsigned char first = lead > 0 ? (unsigned char)buffer[lead - 1] : 0;
    const size_t bytes = first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (bytes > length - lead + 1) length = lead - 1;
  }
  const mortise_str_t text = {buffer, length};
  return text;
}

// Writes one line, as printf does; at most 1023 bytes of it.
//   ctx    the instance's
//   level  MORTISE_LOG_*
__attribute__((format(printf, 3, 4))) static inline mortise_status_t mortise_say(mortise_ctx_t* ctx, uint32_t level,
                                                                                 const char* format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  const mortise_str_t text = mortise_format(line, sizeof line, format, arguments);
  va_end(arguments);
  const mortise_host_log_t* log = (const mortise_host_log_t*)mortise_find(ctx, MORTISE_LOG);
  return log == NULL ? MORTISE_UNSUPPORTED : log->write(ctx, level, text);
}

// Sets the text of an error, as printf does, and gives the status to return: return mortise_fail(ctx, "no %s", name);
__attribute__((format(printf, 2, 3))) static inline mortise_status_t mortise_fail(mortise_ctx_t* ctx,
                                                                                  const char* format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  const mortise_str_t text = mortise_format(line, sizeof line, format, arguments);
  va_end(arguments);
  const mortise_host_log_t* log = (const mortise_host_log_t*)mortise_find(ctx, MORTISE_LOG);
  if (log != NULL) log->set_error(ctx, text);
  return MORTISE_PLUGIN_FAILED;
}

// For a plugin without a state of its own: what its events get as self is the context.
#define MORTISE_STATELESS .instance_create = mortise_c_create, .instance_destroy = mortise_c_destroy
static inline mortise_status_t mortise_c_create(mortise_ctx_t* ctx, void** self) {
  *self = ctx;
  return MORTISE_OK;
}
static inline void mortise_c_destroy(void* self) { (void)self; }

// MORTISE_C_PLUGIN(id, version, summary, flags, members...), once in a plugin.
//   id       literal: lower case, digits, underscores; at most 63 bytes
//   version  literal: the plugin's own; at most 31 bytes
//   summary  literal, one line: what it does; at most 127 bytes
//   flags    MORTISE_PLUGIN_*, joined by |; 0 for none
//   members  of mortise_plugin_t: MORTISE_STATELESS, or .instance_create and .instance_destroy; .events, .options, ...
#define MORTISE_C_PLUGIN(id_text, version_text, summary_text, flag_bits, ...)                                       \
  _Static_assert(sizeof(id_text) <= 64 && sizeof(version_text) <= 32 && sizeof(summary_text) <= 128,                \
                 "a text of MORTISE_C_PLUGIN is too long for the note");                                            \
  const mortise_host_t* mortise_c_host;                                                                             \
  MORTISE_EXPORT extern const mortise_note_t mortise_plugin_note;                                                   \
  MORTISE_IN_NOTE_SECTION const mortise_note_t mortise_plugin_note = {.magic = MORTISE_NOTE_MAGIC,                  \
                                                                      .note_size = sizeof(mortise_note_t),          \
                                                                      .abi_major = MORTISE_ABI_MAJOR,               \
                                                                      .abi_minor_needed = MORTISE_ABI_MINOR_NEEDED, \
                                                                      .abi_minor_built = MORTISE_ABI_MINOR,         \
                                                                      .flags = (flag_bits),                         \
                                                                      .id = id_text,                                \
                                                                      .version = version_text,                      \
                                                                      .summary = summary_text};                     \
  mortise_status_t MORTISE_ENTRY(const mortise_host_t* host, const mortise_plugin_t** plugin) {                     \
    static const mortise_plugin_t self = {.struct_size = sizeof(mortise_plugin_t),                                  \
                                          .flags = (flag_bits),                                                     \
                                          .id = MORTISE_TEXT(id_text),                                              \
                                          .version = MORTISE_TEXT(version_text),                                    \
                                          __VA_ARGS__};                                                             \
    mortise_c_host = host;                                                                                          \
    *plugin = &self;                                                                                                \
    return MORTISE_OK;                                                                                              \
  }
