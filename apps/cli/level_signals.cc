#include "apps/cli/level_signals.h"

#include <signal.h>

#include <algorithm>
#include <atomic>

namespace poet::cli {
namespace {

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
