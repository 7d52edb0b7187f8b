// All of the plugin interface; lists its headers and nothing else.
#pragma once

// Core: what every plugin uses.
#include "base.h"
#include "event.h"
#include "plugin.h"
#include "status.h"
#include "version.h"

// Services, one concept a header.
#include "checkpoint.h"
#include "dlpack.h"
#include "exchange.h"
#include "file.h"
#include "hook.h"
#include "job.h"
#include "log.h"
#include "memory.h"
#include "metric.h"
#include "model.h"
#include "module.h"
#include "op.h"
#include "optimizer.h"
#include "option.h"
#include "random.h"
#include "run.h"
#include "state_dict.h"
#include "stream.h"
#include "tensor.h"
#include "thread.h"
#include "timer.h"
