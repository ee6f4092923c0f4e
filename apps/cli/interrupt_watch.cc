#include "apps/cli/interrupt_watch.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "apps/cli/exit_code.h"

namespace poet::cli {
namespace {

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
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void InterruptWatch::wait_for_signals() {
  const sigset_t set = interrupts();
  int signal = 0;
  while (sigwait(&set, &signal) == 0 && !done_) {
    if (source_.stop_requested()) _exit(kExitSecondInterrupt);
    source_.request_stop();
  }
}

}  // namespace poet::cli
