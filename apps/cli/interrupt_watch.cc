#include "apps/cli/interrupt_watch.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "apps/cli/exit_code.h"
#include "apps/cli/hangup_watch.h"

namespace poet::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Programs such as `timeout` signal a process and then its group: one wish, told twice.
constexpr std::chrono::milliseconds kOneWish(500);

sigset_t interrupts(InterruptWatch::Hangup hangup) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (hangup == InterruptWatch::Hangup::Stops && !hangups_are_ignored()) sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

InterruptWatch::InterruptWatch(Hangup hangup) : signals_(interrupts(hangup)) {
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  waiter_ = std::thread([this] { wait_for_signals(); });
}

InterruptWatch::~InterruptWatch() {
  done_ = true;
  pthread_kill(waiter_.native_handle(), SIGTERM);
  waiter_.join();
  // What came with the one that was heard would end the program once it is let in.
  const timespec at_once = {};
  while (source_.stop_requested() && sigtimedwait(&signals_, nullptr, &at_once) > 0) continue;
  pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
}

void InterruptWatch::wait_for_signals() {
  int signal = 0;
  Clock::time_point first;
  while (sigwait(&signals_, &signal) == 0 && !done_) {
    if (!source_.stop_requested()) {
      first = Clock::now();
      source_.request_stop();
    } else if (Clock::now() - first > kOneWish) {
      _exit(kExitSecondInterrupt);
    }
  }
}

}  // namespace poet::cli
