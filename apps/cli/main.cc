#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "apps/cli/answer.h"
#include "apps/cli/bus_error.h"
#include "apps/cli/command.h"
#include "apps/cli/exit_code.h"

namespace {

// A failed POET_CHECK has said what is wrong, and aborts: to a script that is exit code 3.
void exit_as_bug(int) {
  _exit(poet::cli::kExitBug);
}

int report_bug(const char* what) {
  poet::cli::tell(fmt::format("poet: a bug in POET: {}\n", what));
  return poet::cli::kExitBug;
}

// Without allocating anything.
int report_no_memory() {
  static constexpr char kSentence[] = "poet: there is not enough memory\n";
  static_cast<void>(!write(STDERR_FILENO, kSentence, sizeof kSentence - 1));
  return poet::cli::kExitBadInput;
}

// Where no exception may pass: the destructors of nlohmann/json allocate.
void end_without_memory() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    _exit(report_no_memory());
  } catch (...) {
  }
  report_bug("an exception where none may pass");
  _exit(poet::cli::kExitBug);
}

// A file that was opened as standard error would get what is told there: a page store lost weights
// to progress lines.
void hold_standard_streams() {
  int opened = 0;
  do {
    opened = open("/dev/null", O_RDWR);
  } while (opened >= 0 && opened <= STDERR_FILENO);
  if (opened >= 0) close(opened);
}

}  // namespace

int main(int argc, char** argv) {
  poet::cli::keep_standard_output();
  hold_standard_streams();
  signal(SIGABRT, exit_as_bug);
  std::set_terminate(end_without_memory);
  // A file that would be larger than a quota allows is an error of the call that writes it.
  signal(SIGXFSZ, SIG_IGN);
  poet::cli::name_the_file_of_a_bus_error();
  try {
    return poet::cli::run_program(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::bad_alloc&) {
    return report_no_memory();
  } catch (const std::system_error& error) {
    // A thread that cannot be begun: its stack is memory as well.
    if (error.code() == std::errc::resource_unavailable_try_again) return report_no_memory();
    return report_bug(error.what());
  } catch (const std::exception& error) {
    return report_bug(error.what());
  } catch (...) {
    return report_bug("an exception of unknown kind");
  }
}
