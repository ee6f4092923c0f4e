#include "poet/solve/library_abort.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace poet {
namespace {

TEST(SurvivesAbort, SaysTrueWhenNothingAborts) {
  int ran = 0;
  EXPECT_TRUE(survives_abort([&ran] { ++ran; }));
  EXPECT_EQ(ran, 1);
}

TEST(SurvivesAbort, SurvivesMoreThanOne) {
  for (int n = 0; n < 3; ++n) EXPECT_FALSE(survives_abort([] { std::abort(); }));
  EXPECT_TRUE(survives_abort([] {}));
}

TEST(SurvivesAbort, IsTheThreadsOwn) {
  bool other = true;
  EXPECT_TRUE(survives_abort([&other] {
    std::thread thread([&other] { other = survives_abort([] { std::abort(); }); });
    thread.join();
  }));
  EXPECT_FALSE(other);
}

TEST(SurvivesAbort, LetsExceptionsThrough) {
  EXPECT_THROW(survives_abort([] { throw std::runtime_error("no"); }), std::runtime_error);
}

TEST(SurvivesAbortDeathTest, LeavesOurOwnAbortsAlone) {
  EXPECT_DEATH(
      {
        survives_abort([] { std::abort(); });
        std::abort();
      },
      "");
}

TEST(SurvivesAbortDeathTest, DiesOfAFaultThatSomebodySends) {
  EXPECT_DEATH(
      {
        survives_abort([] { kill(getpid(), SIGSEGV); });
        _exit(0);
      },
      "");
}

// Somebody who sends the signal means the program, whatever it is doing.
TEST(SurvivesAbortDeathTest, DiesOfASignalFromOutside) {
  EXPECT_EXIT(
      {
        survives_abort([] { kill(getpid(), SIGABRT); });
        _exit(0);
      },
      testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace poet
