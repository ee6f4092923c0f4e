#include "apps/cli/interrupt_watch.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "apps/cli/exit_code.h"

namespace poet::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Programs such as `timeout` signal a process and then its group: one wish, told twice.
constexpr std::chrono::milliseconds kOneWish(500);

sigset_t interrupts() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  const sigset_t set = interrupts();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  waiter_ = std::thread([this] { wait_for_signals(); });
}

InterruptWatch::~InterruptWatch() {
  done_ = true;
  pthread_kill(waiter_.native_handle(), SIGTERM);
  waiter_.join();
  const sigset_t set = interrupts();
  // What came with the one that was heard would end the program once it is let in.
  const timespec at_once = {};
  while (source_.stop_requested() && sigtimedwait(&set, nullptr, &at_once) > 0) continue;
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void InterruptWatch::wait_for_signals() {
  const sigset_t set = interrupts();
  int signal = 0;
  Clock::time_point first;
  while (sigwait(&set, &signal) == 0 && !done_) {
    if (!source_.stop_requested()) {
      first = Clock::now();
      source_.request_stop();
    } else if (Clock::now() - first > kOneWish) {
      _exit(kExitSecondInterrupt);
    }
  }
}

}  // namespace poet::cli
