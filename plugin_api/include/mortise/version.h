// Version of the plugin interface and of the package that ships it.
//
// The build reads both from this file; nothing else states them.
#pragma once

// Major version of the interface. It is part of the entry function's name (plugin.h). 0: not frozen yet,
// every part may change until 1.0 (ABI.md).
#define MORTISE_ABI_MAJOR 0
// Minor version: counts published additions. A host accepts a plugin that needs its minor version or an older one.
#define MORTISE_ABI_MINOR 1

// Version of the package, major.minor.patch.
#define MORTISE_VERSION "0.1.0"
