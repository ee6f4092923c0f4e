#include "poet/base/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "poet/base/file_calls.h"

namespace poet {
namespace {

Error refused(int error_number) {
  return {
      error_number == ENOENT ? ErrorCode::NotFound : ErrorCode::Io, reason_of(error_number), {}};
}

// What posix_spawn wants to know.
class SpawnWishes {
 public:
  explicit SpawnWishes(const ChildCall& call) {
    posix_spawn_file_actions_init(&files_);
    lead(STDIN_FILENO, O_RDONLY, call.input);
    lead(STDOUT_FILENO, O_WRONLY, call.output);
    lead(STDERR_FILENO, O_WRONLY, call.errors);
    if (call.files == ChildFiles::StreamsOnly)
      posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    if (!call.folder.empty()) posix_spawn_file_actions_addchdir_np(&files_, call.folder.c_str());

    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    const int own_group = call.group == ChildGroup::Own ? POSIX_SPAWN_SETPGROUP : 0;
    posix_spawnattr_setflags(&attributes_, static_cast<short>(POSIX_SPAWN_SETSIGMASK | own_group));
  }
  ~SpawnWishes() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnWishes(const SpawnWishes&) = delete;
  SpawnWishes& operator=(const SpawnWishes&) = delete;

  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  void lead(int stream, int access, const ChildStream& to) {
    if (const int* const file = std::get_if<int>(&to))
      posix_spawn_file_actions_adddup2(&files_, *file, stream);
    if (std::holds_alternative<Nowhere>(to))
      posix_spawn_file_actions_addopen(&files_, stream, "/dev/null", access, 0);
    if (const NewFile* const file = std::get_if<NewFile>(&to))
      posix_spawn_file_actions_addopen(&files_, stream, file->path.c_str(),
                                       access | O_CREAT | O_TRUNC, 0600);
  }

  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  return pointers;
}

}  // namespace

void OwnedFile::close() {
  if (file_) ::close(*file_);
  file_.reset();
}

Result<Pipe> open_pipe() {
  int ends[2] = {};
  if (::pipe2(ends, O_CLOEXEC) != 0) return refused(errno);
  return Pipe{OwnedFile(ends[0]), OwnedFile(ends[1])};
}

Result<pid_t> start_child(const ChildCall& call) {
  std::vector<std::string> words = call.words;
  std::vector<char*> pointers = pointers_to(words);
  pointers.push_back(nullptr);
  std::vector<std::string> more = call.variables;
  std::vector<char*> variables = pointers_to(more);
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  variables.push_back(nullptr);
  const SpawnWishes wishes(call);
  const std::string& program = call.program.empty() ? words.front() : call.program;
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, program.c_str(), wishes.files(), wishes.attributes(),
                                   pointers.data(), variables.data());
  if (error != 0) return refused(error);
  return child;
}

namespace {

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<int> wait_for_child(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return refused(errno);
  return exit_code_of(status);
}

Result<std::optional<int>> look_at_child(pid_t child) {
  int status = 0;
  const pid_t ended = ::waitpid(child, &status, WNOHANG);
  if (ended < 0) return refused(errno);
  if (ended == 0) return std::optional<int>();
  return std::optional(exit_code_of(status));
}

}  // namespace poet
