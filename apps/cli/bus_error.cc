#include "apps/cli/bus_error.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/exit_code.h"
#include "poet/model/mapped_file.h"

namespace poet::cli {
namespace {

void say(const char* text) {
  // Nobody is left to hear of a failure.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, ::strlen(text));
}

void on_bus_error(int signal, siginfo_t* about, void*) {
  const char* const path = about->si_code > 0 ? mapped_path_at(about->si_addr) : nullptr;
  if (path == nullptr) {  // not ours: as if there were no handler
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  say("poet: cannot read '");
  say(path);
  say("' any more: it became shorter while it was in use, or its disk failed\n");
  ::_exit(kExitBadInput);
}

}  // namespace

void name_the_file_of_a_bus_error() {
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace poet::cli
