// Version of the plugin interface and of the package that ships it.
//
// The build reads both from this file; nothing else states them.
#pragma once

// Major version of the interface. It is part of the entry function's name (plugin.h). Version 1 is a release candidate:
// a break is still possible, with its reason in ABI.md, until the freeze.
#define MORTISE_ABI_MAJOR 1
// Minor version: counts published additions. A host accepts a plugin that needs its minor version or an older one.
// What came with a later one than 0 says "since 1.1" in its comment.
#define MORTISE_ABI_MINOR 1

// Version of the package, major.minor.patch.
#define MORTISE_VERSION "0.2.0"
