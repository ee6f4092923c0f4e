#include "apps/cli/progress_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include "apps/cli/answer.h"
#include "poet/base/file_calls.h"
#include "poet/base/message_text.h"
#include "poet/train/process_memory.h"

namespace poet::cli {
namespace {

// A line of steps comes no more often than this, nor than every ten thousandth part of the time so
// far: whoever looks on sees no more, and the file of a week has some 60,000 lines.
constexpr double kPauseS = 0.5;
constexpr double kPausePart = 1e-4;

Error cannot_write(const std::string& path, const std::string& why) {
  return {ErrorCode::Io, fmt::format("cannot write {}: {}", in_quotes(path), why), {}};
}

// Whether the file begins as one of ours; an empty one may become one.
bool is_ours(int file) {
  std::array<char, kLongestProgressRow> begin{};
  const ssize_t count = pread(file, begin.data(), begin.size(), 0);
  if (count <= 0) return count == 0;
  const std::string_view text(begin.data(), static_cast<std::size_t>(count));
  const std::optional<ProgressRow> row = read_progress_row(text.substr(0, text.find('\n')));
  return row && row->event == "begin";
}

// For as long as the process lives, whatever becomes of it; a process that was begun by this one
// does not have it. Nothing where the file system has no locks.
std::optional<bool> take_lock(int file) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(file, F_OFD_SETLK, &whole) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return std::nullopt;
}

// A line that a training before could not end.
Failure cut_unfinished_line(int file, const std::string& path) {
  struct stat status {};
  if (fstat(file, &status) != 0) return cannot_write(path, reason_of(errno));
  const std::int64_t size_bytes = status.st_size;
  std::array<char, kLongestProgressRow> end{};
  const std::int64_t from = std::max<std::int64_t>(0, size_bytes - std::ssize(end));
  const ssize_t count = pread(file, end.data(), end.size(), from);
  if (count < 0) return cannot_write(path, reason_of(errno));
  const std::string_view text(end.data(), static_cast<std::size_t>(count));
  const std::size_t last = text.rfind('\n');
  const std::int64_t whole_bytes =
      last == std::string_view::npos ? from : from + static_cast<std::int64_t>(last) + 1;
  if (whole_bytes != size_bytes && ftruncate(file, whole_bytes) != 0)
    return cannot_write(path, reason_of(errno));
  return std::nullopt;
}

}  // namespace

ProgressFile::ProgressFile(std::function<double()> now_s) : now_s_(std::move(now_s)) {}

ProgressFile::~ProgressFile() {
  if (file_ >= 0) ::close(file_);
}

void ProgressFile::open(const std::string& path, Before before, RunBegin begin) {
  begin_s_ = now_s_();
  path_ = path;
  if (const Failure failure = open_file(path, before)) {
    give_up(*failure);
    return;
  }
  begin.is_locked = is_locked_;
  write(progress_row(begin));
}

// Not through write_file_atomically(): it grows, and what is there of it is of use at any time.
// Without waiting, where somebody put a pipe there.
Failure ProgressFile::open_file(const std::string& path, Before before) {
  constexpr int kFlags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  file_ = ::open(path.c_str(), kFlags, 0666);
  struct stat status {};
  if (file_ < 0 || fstat(file_, &status) != 0) return cannot_write(path, reason_of(errno));
  if (!S_ISREG(status.st_mode)) return cannot_write(path, "it is not a regular file");
  if (!is_ours(file_))
    return cannot_write(path, "it is there already and is not the progress file of a training");
  const std::optional<bool> locked = take_lock(file_);
  if (locked && !*locked) return cannot_write(path, "it is that of a training that runs");
  is_locked_ = locked.value_or(false);
  if (before == Before::GoneOnWith) return cut_unfinished_line(file_, path);
  if (ftruncate(file_, 0) != 0) return cannot_write(path, reason_of(errno));
  return std::nullopt;
}

void ProgressFile::give_up(const Error& error) {
  warn(error.message + "; the training goes on, and its progress is not to be seen there");
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

double ProgressFile::at_s() const {
  return now_s_() - begin_s_;
}

// As one piece, so that whoever reads meanwhile, or is left by a kill, has whole lines.
void ProgressFile::write(const std::string& row) {
  if (file_ < 0) return;
  const std::string line = row + "\n";
  const ssize_t count = ::write(file_, line.data(), line.size());
  if (count == std::ssize(line)) return;
  give_up(cannot_write(path_, count < 0 ? reason_of(errno) : "there is no room for a line"));
}

void ProgressFile::add_step(const StepLine& line) {
  const double part = 1.0 / static_cast<double>(++news_.steps);
  news_.mean_loss += (static_cast<double>(line.loss) - news_.mean_loss) * part;
  news_.mean_step_s += (line.step_s - news_.mean_step_s) * part;
  news_.last = line;
  const double pause_s = std::max(kPauseS, kPausePart * at_s());
  const bool is_first = written_s_ == 0;
  if (is_first || line.step == line.steps || at_s() - written_s_ >= pause_s) write_steps();
}

void ProgressFile::write_steps() {
  if (file_ < 0 || news_.steps == 0) return;
  const ProcessMemory memory = process_memory();
  news_.resident_bytes = memory.resident_bytes;
  news_.last.peak_bytes = std::max(news_.last.peak_bytes, memory.peak_bytes);
  written_s_ = at_s();
  write(progress_row(written_s_, news_));
  news_ = {};
}

TrainEvents ProgressFile::seen(TrainEvents events) {
  if (file_ < 0) return events;
  // Steps come first that were taken before.
  const auto also = [this](auto told) {
    return [this, told = std::move(told)](const auto& line) {
      write_steps();
      write(progress_row(at_s(), line));
      if (told) told(line);
    };
  };
  events.step = [this, told = std::move(events.step)](const StepLine& line) {
    add_step(line);
    if (told) told(line);
  };
  events.planned = also(std::move(events.planned));
  events.evaluation = also(std::move(events.evaluation));
  events.saved = also(std::move(events.saved));
  events.moved = also(std::move(events.moved));
  events.replanned = also(std::move(events.replanned));
  return events;
}

void ProgressFile::end(const Result<TrainReport>& report) {
  if (!report.ok()) return end({RunEndState::Failed, to_string(report.error())});
  if (!report->no.empty()) return end({RunEndState::Failed, report->no});
  end({report->stopped ? RunEndState::Stopped : RunEndState::Ended, ""});
}

void ProgressFile::end(RunEnd how) {
  write_steps();
  write(progress_row(at_s(), how));
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace poet::cli
