// Outlives a library that calls abort() (docs/model/numbers.md §3.3).
#include "poet/solve/library_abort.h"

#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <mutex>

namespace poet {
namespace {

// Where the thread goes on when a library aborts in it.
thread_local sigjmp_buf* landing = nullptr;

struct sigaction previous_action = {};  // what the program did about an abort

// Whether the library itself gave up: a signal that somebody else sends is meant for the program.
bool is_own(const siginfo_t& information) {
  return information.si_code == SI_TKILL && information.si_pid == getpid();
}

// abort() may be left by a jump: the C library holds no lock while its signal is handled.
void on_abort(int number, siginfo_t* information, void*) {
  if (landing != nullptr && is_own(*information)) siglongjmp(*landing, 1);
  sigaction(SIGABRT, &previous_action, nullptr);
  raise(number);  // once this handler has returned
}

void watch_for_aborts() {
  struct sigaction action = {};
  action.sa_sigaction = on_abort;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGABRT, &action, &previous_action);
}

}  // namespace

bool survives_abort(const std::function<void()>& work) {
  static std::once_flag watching;
  std::call_once(watching, watch_for_aborts);
  sigjmp_buf here;
  if (sigsetjmp(here, 1) != 0) {
    landing = nullptr;
    return false;
  }
  landing = &here;
  try {
    work();
  } catch (...) {
    landing = nullptr;
    throw;
  }
  landing = nullptr;
  return true;
}

}  // namespace poet
