#include "apps/cli/signals.h"

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

// Ignored before, it is ignored after, as nohup and jobs in the background want it: so the test
// first sets what a terminal has, and does not wait for a death that may not come.
TEST(InterruptWatchDeathTest, LeavesSignalsAloneAfterItsLife) {
  const auto interrupt_after = [] {
    signal(SIGINT, SIG_DFL);
    { const InterruptWatch watch; }
    kill(getpid(), SIGINT);
    _exit(0);
  };
  EXPECT_EXIT(interrupt_after(), testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptWatch, LeavesAnIgnoredSignalIgnored) {
  const auto before = signal(SIGINT, SIG_IGN);
  { const InterruptWatch watch; }
  EXPECT_EQ(signal(SIGINT, before), SIG_IGN);
}

}  // namespace
}  // namespace poet::cli
