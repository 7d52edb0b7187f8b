#include "host/ledger/threads.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <future>
#include <thread>

namespace mortise::ledger {
namespace {

constexpr int64_t kLong = 10'000'000'000;

// A thread of a plugin that lives until it is told to end.
class PluginsThread {
 public:
  explicit PluginsThread(Tag tag, const char* name = "worker") {
    std::promise<Tag> started;
    auto seen = started.get_future();
    thread_ = std::thread([this, tag, name, started = std::move(started)]() mutable {
      pthread_setname_np(pthread_self(), name);
      thread_started(tag);
      started.set_value(current_tag());
      go_.get_future().wait();
      thread_ended();
    });
    tag_seen = seen.get();
  }
  ~PluginsThread() {
    if (thread_.joinable()) end();
  }
  void tell() { go_.set_value(); }
  void end() {
    tell();
    thread_.join();
  }
  void detach() { thread_.detach(); }

  Tag tag_seen = 0;

 private:
  std::promise<void> go_;
  std::thread thread_;
};

TEST(Threads, NestTagsAndPutTheOuterOneBack) {
  EXPECT_EQ(current_tag(), 0u);
  {
    const TagScope plugin(7);
    EXPECT_EQ(current_tag(), 7u);
    {
      const TagScope host(0);
      EXPECT_EQ(current_tag(), 0u);
    }
    EXPECT_EQ(current_tag(), 7u);
  }
  EXPECT_EQ(current_tag(), 0u);
}

TEST(Threads, KeepATagToItsThread) {
  const TagScope plugin(7);
  Tag seen = 99;
  std::thread([&seen] { seen = current_tag(); }).join();

  EXPECT_EQ(seen, 0u);
}

TEST(Threads, ListThoseOfOneInstanceByName) {
  const PluginsThread mine(21, "logger");
  const PluginsThread other(22, "other");

  const auto threads = threads_of(21);

  ASSERT_EQ(threads.size(), 1u);
  EXPECT_EQ(threads[0].name, "logger");
  EXPECT_GT(threads[0].tid, 0);
  EXPECT_EQ(mine.tag_seen, 21u);
}

TEST(Threads, ForgetThoseThatEnded) {
  PluginsThread thread(31);
  thread.end();

  EXPECT_TRUE(wait_for_threads(31, 0));
  EXPECT_TRUE(threads_of(31).empty());
}

TEST(Threads, DoNotRegisterTheHostsOwn) {
  const PluginsThread thread(0);

  EXPECT_TRUE(threads_of(0).empty());
  EXPECT_TRUE(wait_for_threads(0, 0));
}

TEST(Threads, AreNotAwaitedForEver) {
  const PluginsThread thread(41);

  EXPECT_FALSE(wait_for_threads(41, 1));
  EXPECT_TRUE(wait_for_threads(42, 1));
}

TEST(Threads, AreAwaitedUntilTheLastOneEnds) {
  PluginsThread first(51), second(51);
  std::thread ender([&] {
    first.end();
    second.end();
  });

  EXPECT_TRUE(wait_for_threads(51, kLong));
  EXPECT_TRUE(threads_of(51).empty());
  ender.join();
}

// Runs after the thread's function has returned.
TEST(Threads, AreAwaitedThroughTheDestructorsOfTheirSpecificData) {
  static std::promise<void>* go;
  static std::atomic<bool> destroyed;
  std::promise<void> may_end;
  std::promise<void> is_ending;
  go = &may_end;
  destroyed = false;
  pthread_key_t key;
  ASSERT_EQ(pthread_key_create(&key,
                               [](void*) {
                                 go->get_future().wait();
                                 destroyed = true;
                               }),
            0);
  std::thread([&] {
    pthread_setspecific(key, &key);
    thread_started(61);
    thread_ended();
    is_ending.set_value();
  }).detach();
  is_ending.get_future().wait();

  EXPECT_FALSE(wait_for_threads(61, 1));
  may_end.set_value();
  EXPECT_TRUE(wait_for_threads(61, kLong));
  EXPECT_TRUE(destroyed);
  pthread_key_delete(key);
}

}  // namespace
}  // namespace mortise::ledger
