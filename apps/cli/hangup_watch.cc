#include "apps/cli/hangup_watch.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace poet::cli {
namespace {

sigset_t hangups() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  return set;
}

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

}  // namespace poet::cli
