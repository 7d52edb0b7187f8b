// The contexts that plugins carry in every call: names of instances, never followed as pointers.
//
// Rationale: a plugin may pass anything, from a thread that outlived it or by mistake. A number that is looked up can
// be refused; a pointer can only be believed.
#pragma once

#include "mortise/base.h"

namespace mortise::bridge {

class PluginInstance;

// Gives an instance a context of its own. Thread-safe, as are all below.
mortise_ctx_t* make_context(PluginInstance* instance);
// Takes it back: from now on it names nobody.
void end_context(mortise_ctx_t* ctx);
// The instance; null for what was never given out or was taken back.
PluginInstance* instance_of(mortise_ctx_t* ctx);

}  // namespace mortise::bridge
