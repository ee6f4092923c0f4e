#include "apps/cli/interrupt_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <thread>

namespace poet::cli {
namespace {

void interrupt_until_asked_to_stop(const InterruptWatch& watch, int signal) {
  kill(getpid(), signal);
  while (!watch.token().stop_requested()) std::this_thread::yield();
}

TEST(InterruptWatch, AsksForAStopAtTheFirstSignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const InterruptWatch watch;
    EXPECT_FALSE(watch.token().stop_requested());
    interrupt_until_asked_to_stop(watch, signal);
  }
}

TEST(InterruptWatch, TakesTwoSignalsAtOnceForOne) {
  const InterruptWatch watch;
  interrupt_until_asked_to_stop(watch, SIGTERM);
  kill(getpid(), SIGTERM);
  kill(getpid(), SIGINT);
  EXPECT_TRUE(watch.token().stop_requested());
}

TEST(InterruptWatchDeathTest, EndsTheProgramAtTheSecondSignal) {
  const auto interrupt_twice = [] {
    const InterruptWatch watch;
    interrupt_until_asked_to_stop(watch, SIGINT);
    while (true) kill(getpid(), SIGINT);
  };
  EXPECT_EXIT(interrupt_twice(), testing::ExitedWithCode(130), "");
}

TEST(InterruptWatchDeathTest, LeavesSignalsAloneAfterItsLife) {
  const auto interrupt_after = [] {
    { const InterruptWatch watch; }
    kill(getpid(), SIGINT);
    while (true) std::this_thread::yield();
  };
  EXPECT_EXIT(interrupt_after(), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace poet::cli
