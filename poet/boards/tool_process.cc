#include "poet/boards/tool_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

extern char** environ;

namespace poet {
namespace {

constexpr int kLookForAStopEvery_ms = 100;
constexpr std::size_t kErrorBytes = 8 << 10;

std::string text_of(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

// Two ends of a pipe, closed with it.
class ToolPipe {
 public:
  ToolPipe() { open_ = ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  ~ToolPipe() {
    close_reading();
    close_writing();
  }
  ToolPipe(const ToolPipe&) = delete;
  ToolPipe& operator=(const ToolPipe&) = delete;

  bool is_open() const { return open_; }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_reading() { close_end(0); }
  void close_writing() { close_end(1); }

 private:
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }
  std::array<int, 2> ends_ = {-1, -1};
  bool open_ = false;
};

// How the child starts: its three streams, its folder, no signal held back, and a group of its own,
// so that Ctrl-C is for us to hand on.
class SpawnPlan {
 public:
  SpawnPlan(const ToolCall& call, const ToolPipe& output, const ToolPipe& errors) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output.writing(), 1);
    posix_spawn_file_actions_adddup2(&files_, errors.writing(), 2);
    posix_spawn_file_actions_addchdir_np(&files_, call.folder.c_str());
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  // 0, or an error number.
  int start(const ToolCall& call, pid_t& child) const {
    std::vector<std::string> words = call.words;
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return posix_spawnp(&child, pointers.front(), &files_, &attributes_, pointers.data(), environ);
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

// Hands whole lines on, and keeps what has no end yet.
class LineCutter {
 public:
  explicit LineCutter(const std::function<void(std::string_view)>& take_line)
      : take_line_(take_line) {}

  void add(std::string_view text) {
    rest_ += text;
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos;
         end = rest_.find('\n', begin)) {
      give(std::string_view(rest_).substr(begin, end - begin));
      begin = end + 1;
    }
    rest_.erase(0, begin);
  }
  void end() {
    if (!rest_.empty()) give(rest_);
  }

 private:
  void give(std::string_view line) {
    if (take_line_) take_line_(line);
  }
  const std::function<void(std::string_view)>& take_line_;
  std::string rest_ = {};
};

void keep_end(std::string& kept, std::string_view more) {
  kept += more;
  if (kept.size() > kErrorBytes) kept.erase(0, kept.size() - kErrorBytes);
}

// Both streams to their ends. Returns whether the child was stopped.
bool read_streams(pid_t child, const ToolPipe& output, const ToolPipe& errors, const Stop& stop,
                  LineCutter& lines, std::string& error_text) {
  std::array<pollfd, 2> streams = {pollfd{output.reading(), POLLIN, 0},
                                   pollfd{errors.reading(), POLLIN, 0}};
  std::array<char, 4096> piece{};
  bool stopped = false;
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    ::poll(streams.data(), streams.size(), kLookForAStopEvery_ms);
    if (!stopped && stop.requested()) {
      stopped = true;
      ::kill(-child, SIGKILL);
    }
    for (std::size_t k = 0; k < streams.size(); ++k) {
      if (streams[k].fd < 0 || streams[k].revents == 0) continue;
      const ssize_t got = ::read(streams[k].fd, piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) streams[k].fd = -1;
      const std::string_view text(piece.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
      if (k == 0) lines.add(text);
      if (k == 1) keep_end(error_text, text);
    }
  }
  lines.end();
  return stopped;
}

}  // namespace

Result<ToolEnd> run_tool(const ToolCall& call, std::string_view package, const Stop& stop,
                         const std::function<void(std::string_view line)>& take_line) {
  ToolPipe output;
  ToolPipe errors;
  if (!output.is_open() || !errors.is_open())
    return Error{ErrorCode::Io, "cannot open a pipe: " + text_of(errno), {}};
  pid_t child = 0;
  const SpawnPlan plan(call, output, errors);
  if (const int error = plan.start(call, child); error != 0)
    return Error{error == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                 fmt::format("cannot run {}: {}; Debian has it in the package {}",
                             call.words.front(), text_of(error), package),
                 {}};
  output.close_writing();
  errors.close_writing();

  ToolEnd end;
  LineCutter lines(take_line);
  end.stopped = read_streams(child, output, errors, stop, lines, end.errors);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return Error{ErrorCode::Io, "lost a program: " + text_of(errno), {}};
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

}  // namespace poet
