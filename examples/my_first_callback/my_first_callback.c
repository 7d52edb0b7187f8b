// Says how far the training is, at the end of each epoch.
#include <inttypes.h>
#include <mortise/c/plugin.h>

static mortise_status_t on_train_epoch_end(void* self, const mortise_event_t* event) {
  return mortise_say(self, MORTISE_LOG_INFO, "epoch %" PRIu64 " is done after %" PRIu64 " steps", event->epoch,
                     event->global_step);
}

static const mortise_events_t events = {.struct_size = sizeof events, .on_train_epoch_end = on_train_epoch_end};

MORTISE_C_PLUGIN("first_in_c", "1.0.0", "Says when an epoch is done", MORTISE_PLUGIN_OBSERVER, MORTISE_STATELESS,
                 .events = &events)
