// A shell over the library, which the tests link.
#include "host/app/app.h"

int main(int argc, char** argv) { return mortise::app::run({argv + 1, argv + argc}); }
