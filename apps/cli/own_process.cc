#include "apps/cli/own_process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "apps/cli/answer.h"

namespace poet::cli {
namespace {

Error cannot_run(int error_number) {
  return {ErrorCode::Io,
          "cannot run this program once more, to plan: " +
              std::error_code(error_number, std::generic_category()).message(),
          {}};
}

// No signal held back.
class OpenSignals {
 public:
  OpenSignals() {
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~OpenSignals() { posix_spawnattr_destroy(&attributes_); }
  OpenSignals(const OpenSignals&) = delete;
  OpenSignals& operator=(const OpenSignals&) = delete;

  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

class AnswersInOurPlace {
 public:
  AnswersInOurPlace() {
    posix_spawn_file_actions_init(&actions_);
    if (const std::optional<int> file = answer_file())
      posix_spawn_file_actions_adddup2(&actions_, *file, STDOUT_FILENO);
  }
  ~AnswersInOurPlace() { posix_spawn_file_actions_destroy(&actions_); }
  AnswersInOurPlace(const AnswersInOurPlace&) = delete;
  AnswersInOurPlace& operator=(const AnswersInOurPlace&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

Result<int> run_own_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"poet"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const OpenSignals open;
  const AnswersInOurPlace answers;
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", answers.actions(), open.attributes(),
                                pointers.data(), environ);
  if (error != 0) return cannot_run(error);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return cannot_run(errno);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace poet::cli
