#include "poet/solve/library_abort.h"

#include <csetjmp>
#include <csignal>
#include <mutex>

namespace poet {
namespace {

// Where the thread goes on when a library aborts in it.
thread_local sigjmp_buf* landing = nullptr;

struct sigaction before = {};  // what the program did about an abort

// abort() may be left by a jump: the C library holds no lock while its signal is handled.
void on_abort(int number) {
  if (landing != nullptr) siglongjmp(*landing, 1);
  sigaction(SIGABRT, &before, nullptr);
  raise(number);  // once this handler has returned
}

void watch_for_aborts() {
  struct sigaction action = {};
  action.sa_handler = on_abort;
  sigemptyset(&action.sa_mask);
  sigaction(SIGABRT, &action, &before);
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
