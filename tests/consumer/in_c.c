/* The smallest plugin in C: an instance that does nothing. */
#include <mortise/mortise.h>

MORTISE_EXPORT extern const mortise_note_t mortise_plugin_note;
MORTISE_IN_NOTE_SECTION const mortise_note_t mortise_plugin_note = {MORTISE_NOTE_MAGIC,
                                                                    sizeof(mortise_note_t),
                                                                    MORTISE_ABI_MAJOR,
                                                                    0,
                                                                    MORTISE_ABI_MINOR,
                                                                    MORTISE_PLUGIN_OBSERVER,
                                                                    0,
                                                                    "in_c",
                                                                    "1.0.0",
                                                                    "Does nothing"};

static mortise_status_t create(mortise_ctx_t* ctx, void** self) {
  *self = ctx;
  return MORTISE_OK;
}
static void destroy(void* self) { (void)self; }

static const mortise_events_t kEvents = {.struct_size = sizeof(mortise_events_t)};
static const mortise_plugin_t kPlugin = {.struct_size = sizeof(mortise_plugin_t),
                                         .flags = MORTISE_PLUGIN_OBSERVER,
                                         .id = {"in_c", 4},
                                         .version = {"1.0.0", 5},
                                         .instance_create = create,
                                         .instance_destroy = destroy,
                                         .events = &kEvents};

mortise_status_t MORTISE_ENTRY(const mortise_host_t* host, const mortise_plugin_t** plugin) {
  (void)host;
  *plugin = &kPlugin;
  return MORTISE_OK;
}
