#include "poet/service/worker_process.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "poet/base/child_process.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/service/work.h"

namespace poet {
namespace {

constexpr int kPollMs = 50;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kGraceS = 10;                  // from a polite word to the end
constexpr std::size_t kLongestLine = 64 << 10;  // of standard output; more is not ours
constexpr std::size_t kComplaintBytes = 400;
constexpr double kClocksDiffer = 0.5;  // s, between the limit's clock and the one that is read
constexpr int kPiecesOfAPipe = 64;     // reads that empty a pipe, however small the writes were

Error cannot_start(const Error& why) {
  return {ErrorCode::Io, "cannot start a worker: " + why.message, {}};
}

struct Worker {
  pid_t id = 0;
  OwnedFile input;
  OwnedFile output;
};

std::string errors_path(const WorkerCall& call) {
  return (std::filesystem::path(call.folder) / "errors").string();
}

Result<Worker> start(const WorkerCall& call) {
  Result<Pipe> input = open_pipe();
  if (!input.ok()) return cannot_start(input.error());
  Result<Pipe> output = open_pipe();
  if (!output.ok()) return cannot_start(output.error());
  ChildCall child{.words = call.words,
                  .input = input->reading.get(),
                  .output = output->writing.get(),
                  .errors = NewFile{errors_path(call)},
                  .files = ChildFiles::StreamsOnly};
  child.words.push_back(call.folder);
  const Result<pid_t> id = start_child(child);
  if (!id.ok()) return cannot_start(id.error());
  return Worker{*id, std::move(input->writing), std::move(output->reading)};
}

// Gives whole lines of what a worker writes; false at the end of it.
class LineReader {
 public:
  LineReader(int file, const std::function<void(const std::string&)>& line)
      : file_(file), line_(line) {}

  bool read_some() {
    const int ready = wait_for_bytes(kPollMs);
    if (ready < 0) return errno == EINTR;
    if (ready == 0) return true;
    return read_piece();
  }

  // What is in the pipe now, and no more: whoever else holds it may write for ever.
  void read_rest() {
    for (int k = 0; k < kPiecesOfAPipe && wait_for_bytes(0) > 0; ++k)
      if (!read_piece()) return;
  }

 private:
  int wait_for_bytes(int limit_ms) const {
    pollfd wait{.fd = file_, .events = POLLIN, .revents = 0};
    return poll(&wait, 1, limit_ms);
  }

  bool read_piece() {
    std::array<char, 4096> piece{};
    const ssize_t count = ::read(file_, piece.data(), piece.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) return false;
    held_.append(piece.data(), static_cast<std::size_t>(count));
    give_lines();
    return true;
  }

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

// How a worker ended, which stays with the system until reap() is called: until then nobody else
// can get its number or that of its group.
struct WorkerExit {
  int code = 0;       // CLD_EXITED, CLD_KILLED ...
  int status = 0;     // the exit code, or the signal
  bool gone = false;  // nobody knows any more: it was waited for elsewhere
};

std::optional<WorkerExit> exit_of(pid_t id) {
  siginfo_t info{};
  const int result = waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOHANG | WNOWAIT);
  if (result != 0) {
    if (errno == EINTR) return std::nullopt;
    return WorkerExit{.gone = true};
  }
  if (info.si_pid == 0) return std::nullopt;
  return WorkerExit{.code = info.si_code, .status = info.si_status};
}

std::string how_it_ended(const WorkerExit& how) {
  if (how.gone) return "an end that nobody saw";
  if (how.code == CLD_EXITED) return fmt::format("exit code {}", how.status);
  const char* const name = sigdescr_np(how.status);
  return fmt::format("signal {} ({})", how.status, name == nullptr ? "without a name" : name);
}

// The processor time that it and those it waited for took.
double reap(pid_t id) {
  rusage usage{};
  int ignored = 0;
  while (wait4(id, &ignored, 0, &usage) < 0 && errno == EINTR) continue;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// When a worker is told to finish, and when it is killed.
class WorkerKeeper {
 public:
  WorkerKeeper(Worker& worker, const WorkerCall& call, const WorkerWatch& watch)
      : worker_(worker), call_(call), watch_(watch), start_s_(watch.elapsed_s()) {}

  void look() {
    const double now_s = watch_.elapsed_s();
    const WorkerWish wish = watch_.wish();
    if (wish == WorkerWish::Die) kill(WorkerEnd::Killed);
    if (wish == WorkerWish::Finish && asked_s_ == kNever) {
      worker_.input.close();
      asked_s_ = now_s;
    }
    if (now_s > asked_s_ + kGraceS) kill(WorkerEnd::Killed);
    if (now_s > start_s_ + call_.wall_limit_s) kill(WorkerEnd::OutOfTime);
  }

  // Whatever it started goes with it.
  void kill_group() const { ::kill(-worker_.id, SIGKILL); }

  double wall_s() const { return watch_.elapsed_s() - start_s_; }

  WorkerEnd end_of(const WorkerExit& how, double cpu_s) const {
    if (killed_) return why_;
    if (how.gone) return WorkerEnd::Crashed;
    if (how.code == CLD_EXITED) return end_of_code(how.status);
    if (how.status == SIGXCPU) return WorkerEnd::OutOfTime;
    // Not by us: the kernel's limit on processor time, or its last resort when memory runs out.
    if (how.status == SIGKILL)
      return cpu_s + kClocksDiffer >= call_.cpu_limit_s ? WorkerEnd::OutOfTime
                                                        : WorkerEnd::KilledBySystem;
    return WorkerEnd::Died;
  }

 private:
  static WorkerEnd end_of_code(int code) {
    if (code == 0) return WorkerEnd::Finished;
    return code == kExitWorkerNoMemory ? WorkerEnd::OutOfMemory : WorkerEnd::Crashed;
  }

  void kill(WorkerEnd why) {
    if (killed_) return;
    killed_ = true;
    why_ = why;
    kill_group();
  }

  Worker& worker_;
  const WorkerCall& call_;
  const WorkerWatch& watch_;
  double start_s_;
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
  // Its last lines may still be in the pipe when it has ended, and what it started may hold the
  // pipe open for longer than it lived; or it closes its output and goes on.
  bool output_open = true;
  std::optional<WorkerExit> how;
  while (!how) {
    if (output_open)
      output_open = lines.read_some();
    else
      poll(nullptr, 0, 1);
    keeper.look();
    how = exit_of(worker->id);
  }
  if (!how->gone) keeper.kill_group();
  if (output_open) lines.read_rest();
  const double cpu_s = how->gone ? 0 : reap(worker->id);
  WorkerReport report{
      .end = keeper.end_of(*how, cpu_s), .how = how_it_ended(*how), .wall_s = keeper.wall_s()};
  if (report.end != WorkerEnd::Finished) report.complaint = complaint_of(call);
  return report;
}

}  // namespace poet
