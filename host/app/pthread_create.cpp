// The executable's pthread_create, seen by every library of the process: threads carry the tag of whoever starts them.
//
// Exported by name (host/app/CMakeLists.txt); everything else of the executable stays hidden. Sanitizers bring a
// pthread_create of their own, which this one must not hide: there threads are only counted.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <dlfcn.h>
#include <pthread.h>

#include <semaphore>

#include "host/ledger/threads.h"

namespace {

// Lies on the starting thread's stack, which waits until the new thread is registered: from then on unloading sees it.
struct Start {
  void* (*run)(void*);
  void* argument;
  mortise::ledger::Tag tag;
  std::binary_semaphore registered{0};
};

// Runs also when the thread ends by pthread_exit.
struct Registration {
  explicit Registration(mortise::ledger::Tag tag) { mortise::ledger::thread_started(tag); }
  ~Registration() { mortise::ledger::thread_ended(); }
};

void* run_tagged(void* pointer) {
  auto* start = static_cast<Start*>(pointer);
  void* (*const run)(void*) = start->run;
  void* const argument = start->argument;
  const mortise::ledger::TagScope tag(start->tag);
  const Registration registration(start->tag);
  start->registered.release();
  return run(argument);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*run)(void*), void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  // The C library's, or that of another library that stands in between.
  static const auto next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  const mortise::ledger::Tag tag = mortise::ledger::current_tag();
  // The host's own threads (libtorch's pools among them) are nobody's business at unload and cost nothing here.
  if (tag == 0) return next(thread, attributes, run, argument);
  Start start{run, argument, tag};
  const int failed = next(thread, attributes, run_tagged, &start);
  // Without the wait a plugin could be found to have no threads while one is being born, and its code would go. It
  // also keeps Start alive.
  if (!failed) start.registered.acquire();
  return failed;
}

#endif
