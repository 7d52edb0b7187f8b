// @NAME@: says how far the training is.
#include <inttypes.h>
#include <math.h>
#include <mortise/c/plugin.h>
#include <stdlib.h>

// What a user may set: --@NAME@.every 5
static const mortise_option_t options[] = {
    {.struct_size = sizeof(mortise_option_t),
     .type = MORTISE_OPTION_INT,
     .key = MORTISE_TEXT("every"),
     .default_value = MORTISE_TEXT("1"),
     .unit = MORTISE_TEXT("epochs"),
     .help = MORTISE_TEXT("Say it every so many epochs"),
     .min = 1,
     .max = NAN},
};

// Services that it cannot do without: a host that lacks one refuses the plugin.
static const mortise_str_t services[] = {MORTISE_TEXT(MORTISE_LOG), MORTISE_TEXT(MORTISE_OPTIONS),
                                         MORTISE_TEXT(MORTISE_STATE_DICT)};

typedef struct {
  mortise_ctx_t* ctx;
  const mortise_host_state_dict_t* state_dict;
  int64_t every;
  int64_t epochs;
} @NAME@_t;

static mortise_status_t create(mortise_ctx_t* ctx, void** self) {
  const mortise_host_options_t* host_options = mortise_find(ctx, MORTISE_OPTIONS);
  mortise_value_t every = {0};
  const mortise_str_t key = MORTISE_TEXT("every");
  const mortise_status_t status = host_options->get(ctx, key, &every);
  if (status != MORTISE_OK) return status;

  @NAME@_t* plugin = calloc(1, sizeof *plugin);
  if (plugin == NULL) return MORTISE_OUT_OF_MEMORY;
  plugin->ctx = ctx;
  plugin->state_dict = mortise_find(ctx, MORTISE_STATE_DICT);
  plugin->every = every.as.integer;
  *self = plugin;
  return MORTISE_OK;
}

static void destroy(void* self) { free(self); }

// Other events have the names that stand in mortise/event.h.
static mortise_status_t on_train_epoch_end(void* self, const mortise_event_t* event) {
  @NAME@_t* plugin = self;
  ++plugin->epochs;
  if (plugin->epochs % plugin->every != 0) return MORTISE_OK;
  return mortise_say(plugin->ctx, MORTISE_LOG_INFO, "%" PRId64 " epochs, %" PRIu64 " steps", plugin->epochs,
                     event->global_step);
}

// A run that is resumed from a checkpoint counts on.
static mortise_status_t state_save(void* self, const mortise_state_event_t* event) {
  const @NAME@_t* plugin = self;
  const mortise_str_t key = MORTISE_TEXT("epochs");
  const mortise_value_t epochs = {.tag = MORTISE_VALUE_INT, .as = {.integer = plugin->epochs}};
  return plugin->state_dict->put(plugin->ctx, event->state, key, &epochs);
}

static mortise_status_t state_load(void* self, const mortise_state_event_t* event) {
  @NAME@_t* plugin = self;
  const mortise_str_t key = MORTISE_TEXT("epochs");
  mortise_value_t epochs = {0};
  const mortise_status_t status = plugin->state_dict->get(plugin->ctx, event->state, key, &epochs);
  if (status != MORTISE_OK) return status;
  if (epochs.tag != MORTISE_VALUE_INT) return mortise_fail(plugin->ctx, "the checkpoint's 'epochs' is no number");
  plugin->epochs = epochs.as.integer;
  return MORTISE_OK;
}

static const mortise_events_t events = {.struct_size = sizeof events,
                                        .on_train_epoch_end = on_train_epoch_end,
                                        .state_save = state_save,
                                        .state_load = state_load};

// An observer changes nothing of the run; take the flag away for a plugin that does.
MORTISE_C_PLUGIN("@NAME@", "0.1.0", "Says how far the training is", MORTISE_PLUGIN_OBSERVER, .instance_create = create,
                 .instance_destroy = destroy, .events = &events, .options = MORTISE_SPAN(options),
                 .services = MORTISE_SPAN(services))
