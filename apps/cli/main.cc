#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "apps/cli/command.h"
#include "apps/cli/exit_code.h"

namespace {

// A failed POET_CHECK has said what is wrong, and aborts: to a script that is exit code 3.
void exit_as_bug(int) {
  _exit(poet::cli::kExitBug);
}

int report_bug(const char* what) {
  fmt::print(stderr, "poet: a bug in POET: {}\n", what);
  return poet::cli::kExitBug;
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGABRT, exit_as_bug);
  try {
    return poet::cli::run_program(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& error) {
    return report_bug(error.what());
  } catch (...) {
    return report_bug("an exception of unknown kind");
  }
}
