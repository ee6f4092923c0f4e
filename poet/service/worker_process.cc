#include "poet/service/worker_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <utility>

#include "poet/base/file_calls.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"

namespace poet {
namespace {

constexpr int kPollMs = 50;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kGraceS = 10;                  // from a polite word to the end
constexpr std::size_t kLongestLine = 64 << 10;  // of standard output; more is not ours
constexpr std::size_t kComplaintBytes = 400;
// What main() says without memory, and when a check failed.
constexpr int kExitNoMemory = 2;

Error cannot_start(int error_number) {
  return {ErrorCode::Io, fmt::format("cannot start a worker: {}", reason_of(error_number)), {}};
}

// A file descriptor that is closed at the end.
class OwnedFile {
 public:
  explicit OwnedFile(int file = -1) : file_(file) {}
  ~OwnedFile() { close(); }
  OwnedFile(OwnedFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  OwnedFile& operator=(OwnedFile&&) = delete;

  int get() const { return file_; }
  void close() {
    if (file_ >= 0) ::close(std::exchange(file_, -1));
  }

 private:
  int file_;
};

struct Pipe {
  OwnedFile read;
  OwnedFile write;
};

Result<Pipe> make_pipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return cannot_start(errno);
  return Pipe{OwnedFile(ends[0]), OwnedFile(ends[1])};
}

// What posix_spawn wants to know.
class SpawnWishes {
 public:
  SpawnWishes(int input, int output, const std::string& errors) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, input, 0);
    posix_spawn_file_actions_adddup2(&files_, output, 1);
    posix_spawn_file_actions_addopen(&files_, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_addclosefrom_np(&files_, 3);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
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
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

struct Worker {
  pid_t id = 0;
  OwnedFile input;
  OwnedFile output;
};

std::string errors_path(const WorkerCall& call) {
  return (std::filesystem::path(call.folder) / "errors").string();
}

Result<Worker> start(const WorkerCall& call) {
  Result<Pipe> input = make_pipe();
  if (!input.ok()) return input.error();
  Result<Pipe> output = make_pipe();
  if (!output.ok()) return output.error();
  std::vector<std::string> words = call.words;
  words.push_back(call.folder);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const SpawnWishes wishes(input->read.get(), output->write.get(), errors_path(call));
  pid_t id = 0;
  const int error = posix_spawn(&id, words[0].c_str(), wishes.files(), wishes.attributes(),
                                pointers.data(), environ);
  if (error != 0) return cannot_start(error);
  return Worker{id, std::move(input->write), std::move(output->read)};
}

// Gives whole lines of what a worker writes; false at the end of it.
class LineReader {
 public:
  LineReader(int file, const std::function<void(const std::string&)>& line)
      : file_(file), line_(line) {}

  bool read_some() {
    pollfd wait{.fd = file_, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, kPollMs) <= 0) return true;
    std::array<char, 4096> piece{};
    const ssize_t count = ::read(file_, piece.data(), piece.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) return false;
    held_.append(piece.data(), static_cast<std::size_t>(count));
    give_lines();
    return true;
  }

 private:
  void give_lines() {
    for (std::size_t end = held_.find('\n'); end != std::string::npos; end = held_.find('\n')) {
      if (end <= kLongestLine && line_) line_(held_.substr(0, end));
      held_.erase(0, end + 1);
    }
    if (held_.size() > kLongestLine) held_.clear();
  }

  int file_;
  const std::function<void(const std::string&)>& line_;
  std::string held_;
};

// When a worker is told to finish, and when it is killed.
class WorkerKeeper {
 public:
  WorkerKeeper(Worker& worker, const WorkerCall& call, const WorkerWatch& watch)
      : worker_(worker), watch_(watch), start_s_(watch.elapsed_s()), limit_s_(call.wall_limit_s) {}

  void look() {
    const double now_s = watch_.elapsed_s();
    const WorkerWish wish = watch_.wish();
    if (wish == WorkerWish::Die) kill(WorkerEnd::Killed);
    if (wish == WorkerWish::Finish && asked_s_ == kNever) {
      worker_.input.close();
      asked_s_ = now_s;
    }
    if (now_s > asked_s_ + kGraceS) kill(WorkerEnd::Killed);
    if (now_s > start_s_ + limit_s_) kill(WorkerEnd::OutOfTime);
  }

  double wall_s() const { return watch_.elapsed_s() - start_s_; }

  WorkerEnd end_of(int status) const {
    if (killed_) return why_;
    if (WIFSIGNALED(status))
      return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? WorkerEnd::OutOfTime
                                                                        : WorkerEnd::Crashed;
    if (WEXITSTATUS(status) == 0) return WorkerEnd::Finished;
    return WEXITSTATUS(status) == kExitNoMemory ? WorkerEnd::OutOfMemory : WorkerEnd::Crashed;
  }

 private:
  void kill(WorkerEnd why) {
    if (killed_) return;
    killed_ = true;
    why_ = why;
    ::kill(worker_.id, SIGKILL);
  }

  Worker& worker_;
  const WorkerWatch& watch_;
  double start_s_;
  double limit_s_;
  double asked_s_ = kNever;  // when it was told to finish
  bool killed_ = false;
  WorkerEnd why_ = WorkerEnd::Killed;
};

std::string complaint_of(const WorkerCall& call) {
  const Result<std::string> text = read_text_file(errors_path(call));
  if (!text.ok()) return {};
  const std::size_t begin = text->size() > kComplaintBytes ? text->size() - kComplaintBytes : 0;
  return one_line(text->substr(begin));
}

}  // namespace

Result<WorkerReport> run_worker(const WorkerCall& call, const WorkerWatch& watch) {
  Result<Worker> worker = start(call);
  if (!worker.ok()) return worker.error();
  WorkerKeeper keeper(*worker, call, watch);
  LineReader lines(worker->output.get(), watch.line);
  while (lines.read_some()) keeper.look();
  // It has closed its output; what is left of it ends by itself or is ended.
  int status = 0;
  for (pid_t ended = 0; ended == 0;) {
    ended = waitpid(worker->id, &status, WNOHANG);
    if (ended < 0 && errno != EINTR) return cannot_start(errno);
    if (ended > 0) break;
    ended = 0;
    keeper.look();
    poll(nullptr, 0, 1);
  }
  WorkerReport report{.end = keeper.end_of(status), .wall_s = keeper.wall_s()};
  if (report.end != WorkerEnd::Finished) report.complaint = complaint_of(call);
  return report;
}

}  // namespace poet
