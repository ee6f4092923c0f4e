#include "apps/cli/signals.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "apps/cli/exit_code.h"

namespace poet::cli {
namespace {

sigset_t hangups() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  return set;
}

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

// Signals that were not looked at yet; of each, less is +1 and more is -1.
std::atomic<int> asked = 0;
static_assert(std::atomic<int>::is_always_lock_free, "handlers of signals touch it");

void ask(int signal) {
  asked += signal == SIGUSR1 ? 1 : -1;
}

void handle(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, nullptr);
  sigaction(SIGUSR2, &action, nullptr);
}

std::size_t level_now = 0;

}  // namespace

bool hangups_are_ignored() {
  struct sigaction action {};
  return sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

BlockedHangups::BlockedHangups() {
  const sigset_t set = hangups();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &set, &before);
  were_blocked_ = sigismember(&before, SIGHUP) == 1;
}

BlockedHangups::~BlockedHangups() {
  const sigset_t set = hangups();
  if (!were_blocked_) pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

HangupWatch::HangupWatch(std::function<void()> heard) : heard_(std::move(heard)) {
  const sigset_t set = hangups();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void HangupWatch::begin() {
  waiter_ = std::thread([this] { wait_for_signals(); });
}

void HangupWatch::end() {
  if (!waiter_.joinable()) return;
  done_ = true;
  pthread_kill(waiter_.native_handle(), SIGHUP);
  waiter_.join();
}

HangupWatch::~HangupWatch() {
  end();
  const sigset_t set = hangups();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void HangupWatch::wait_for_signals() {
  const sigset_t set = hangups();
  int signal = 0;
  while (sigwait(&set, &signal) == 0 && !done_) heard_();
}

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

LevelSignals::LevelSignals() {
  asked = 0;
  level_now = 0;
  handle(ask);
}

LevelSignals::~LevelSignals() {
  handle(SIG_DFL);
}

std::size_t LevelSignals::level(std::size_t levels) {
  const int most = static_cast<int>(levels) - 1;
  level_now = static_cast<std::size_t>(
      std::clamp(static_cast<int>(level_now) + asked.exchange(0), 0, std::max(most, 0)));
  return level_now;
}

}  // namespace poet::cli
