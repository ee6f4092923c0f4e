#include "poet/service/training_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/base/number_text.h"
#include "poet/base/sha256.h"
#include "poet/service/service_clock.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

// Of a folder and of a file, at a time.
constexpr std::int64_t kMostFilesLookedAt = 10'000;
constexpr std::size_t kMostListed = 100;
constexpr std::int64_t kTailBytes = 32 << 10;  // what a list looks at of each
constexpr std::int64_t kPieceBytes = 256 << 10;

struct FoundFile {
  std::string name;
  struct timespec changed = {};
};

bool is_newer(const FoundFile& a, const FoundFile& b) {
  if (a.changed.tv_sec != b.changed.tv_sec) return a.changed.tv_sec > b.changed.tv_sec;
  if (a.changed.tv_nsec != b.changed.tv_nsec) return a.changed.tv_nsec > b.changed.tv_nsec;
  return a.name < b.name;
}

// Regular files with the ending, looked at from outside only, the newest first.
Result<std::vector<FoundFile>> files_in(const std::string& folder) {
  std::error_code error;
  std::vector<FoundFile> found;
  std::int64_t looked_at = 0;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (++looked_at > kMostFilesLookedAt) break;
    std::string name = entry->path().filename().string();
    struct stat status {};
    if (!name.ends_with(kProgressEnding) || lstat(entry->path().c_str(), &status) != 0 ||
        !S_ISREG(status.st_mode))
      continue;
    found.push_back({std::move(name), status.st_mtim});
  }
  if (error)
    return Error{
        ErrorCode::Io,
        fmt::format("cannot look into the folder {}: {}", in_quotes(folder), error.message()),
        {}};
  std::sort(found.begin(), found.end(), is_newer);
  return found;
}

int open_in(const std::string& folder, const std::string& name) {
  // Whoever changed it into a pipe or a link since it was looked at has nobody wait for it.
  const int file = ::open((fs::path(folder) / name).c_str(),
                          O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat status {};
  if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
    ::close(file);
    return -1;
  }
  return file;
}

std::optional<ProgressRow> first_row(int file) {
  std::array<char, kLongestProgressRow> begin{};
  const ssize_t count = pread(file, begin.data(), begin.size(), 0);
  if (count <= 0) return std::nullopt;
  const std::string_view text(begin.data(), static_cast<std::size_t>(count));
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::optional<ProgressRow> row = read_progress_row(text.substr(0, end));
  return row && row->event == "begin" ? row : std::nullopt;
}

// Tells a file from another that came in its place.
std::string mark_of(const std::optional<ProgressRow>& begin) {
  return begin ? sha256_of(json_line(begin->members)).substr(0, 16) : std::string();
}

JsonOut listed(const std::string& name, TrainingReader& reader) {
  reader.skip_to_last(kTailBytes);
  std::vector<ProgressRow> rows = {*reader.begin()};
  for (ProgressRow& row : reader.read_on()) rows.push_back(std::move(row));
  JsonOut training = {{"id", training_id(name)},
                      {"name", name},
                      {"state", training_state(rows, reader.is_running())},
                      {"model", nullptr},
                      {"at", nullptr},
                      {"changed_at", utc_text(reader.changed_at_unix_s())},
                      {"step", nullptr},
                      {"steps", nullptr},
                      {"loss", nullptr},
                      {"step_s", nullptr},
                      {"remaining_s", nullptr},
                      {"saved_step", nullptr}};
  for (const ProgressRow& row : rows) {
    const JsonOut& members = row.members;
    if (row.event == "begin") {
      training["model"] = members["model"];
      if (members["at_unix_s"].is_number_integer() &&
          members["at_unix_s"].get<std::int64_t>() < (std::int64_t{1} << 40))
        training["at"] = utc_text(members["at_unix_s"].get<std::int64_t>());
    }
    if (row.event == "step")
      for (const char* const member : {"step", "steps", "loss", "step_s", "remaining_s"})
        training[member] = members[member];
    if (row.event == "saved") training["saved_step"] = members["step"];
  }
  return training;
}

}  // namespace

// --- A file

TrainingReader::TrainingReader(const std::string& folder, std::string name)
    : folder_(folder), name_(std::move(name)), file_(open_in(folder, name_)) {
  if (file_ >= 0) begin_ = first_row(file_);
}

TrainingReader::~TrainingReader() {
  for (const int file : {file_, happenings_})
    if (file >= 0) ::close(file);
}

TrainingReader::TrainingReader(TrainingReader&& other) noexcept
    : folder_(std::move(other.folder_)),
      name_(std::move(other.name_)),
      file_(std::exchange(other.file_, -1)),
      happenings_(std::exchange(other.happenings_, -1)),
      offset_bytes_(other.offset_bytes_),
      rest_(std::move(other.rest_)),
      is_too_long_(other.is_too_long_),
      is_unreadable_(other.is_unreadable_),
      begin_(std::move(other.begin_)) {}

std::vector<ProgressRow> TrainingReader::read_on() {
  std::string piece(static_cast<std::size_t>(std::min(unread_bytes(), kPieceBytes)), '\0');
  if (piece.empty()) return {};
  const ssize_t count = pread(file_, piece.data(), piece.size(), offset_bytes_);
  is_unreadable_ = count <= 0;
  if (is_unreadable_) return {};
  piece.resize(static_cast<std::size_t>(count));
  offset_bytes_ += count;
  std::vector<ProgressRow> rows;
  std::string_view text = piece;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    if (!is_too_long_) {
      rest_.append(text.substr(0, end));
      if (std::optional<ProgressRow> row = read_progress_row(rest_))
        rows.push_back(*std::move(row));
    }
    rest_.clear();
    is_too_long_ = false;
    text.remove_prefix(end + 1);
  }
  is_too_long_ |= rest_.size() + text.size() > kLongestProgressRow;
  if (is_too_long_) rest_.clear();
  if (!is_too_long_) rest_.append(text);
  return rows;
}

std::int64_t TrainingReader::unread_bytes() const {
  struct stat status {};
  if (is_unreadable_ || fstat(file_, &status) != 0) return 0;
  return std::max<std::int64_t>(0, status.st_size - offset_bytes_);
}

void TrainingReader::wait(double most_s) {
  constexpr std::uint32_t kHappenings = IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVE_SELF;
  if (happenings_ < 0) {
    happenings_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    const std::string opened = fmt::format("/proc/self/fd/{}", file_);
    if (happenings_ >= 0) inotify_add_watch(happenings_, opened.c_str(), kHappenings);
    return;  // to look first at what happened before
  }
  pollfd wanted{.fd = happenings_, .events = POLLIN, .revents = 0};
  poll(&wanted, 1, static_cast<int>(most_s * 1000));
  std::array<char, 4096> told{};
  while (read(happenings_, told.data(), told.size()) > 0) {
  }
}

std::optional<std::string> TrainingReader::place() const {
  if (is_too_long_) return std::nullopt;
  return fmt::format("{}-{}", mark_of(begin_), offset_bytes_ - std::ssize(rest_));
}

bool TrainingReader::go_on_from(std::string_view place) {
  const std::string mark = mark_of(begin_) + "-";
  if (!place.starts_with(mark)) return false;
  const Result<std::int64_t> offset = read_whole(std::string(place.substr(mark.size())), 1);
  char before = 0;
  if (!offset.ok() || pread(file_, &before, 1, *offset - 1) != 1 || before != '\n') return false;
  offset_bytes_ = *offset;
  return true;
}

void TrainingReader::skip_to_last(std::int64_t bytes) {
  struct stat status {};
  if (fstat(file_, &status) != 0 || status.st_size - offset_bytes_ <= bytes) return;
  offset_bytes_ = status.st_size - bytes;
  rest_.clear();
  is_too_long_ = true;  // what is left of the line there
}

bool TrainingReader::is_another() const {
  struct stat now {};
  struct stat then {};
  if (lstat((fs::path(folder_) / name_).c_str(), &now) != 0 || fstat(file_, &then) != 0)
    return true;
  return now.st_ino != then.st_ino || now.st_dev != then.st_dev || now.st_size < offset_bytes_;
}

IsRunning TrainingReader::is_running() const {
  struct flock whole {};
  whole.l_type = F_RDLCK;
  whole.l_whence = SEEK_SET;
  // Asks without taking it, so that a training never finds it taken.
  if (fcntl(file_, F_OFD_GETLK, &whole) != 0) return std::nullopt;
  if (whole.l_type != F_UNLCK) return true;
  const bool could_lock = begin_ && begin_->members["locked"] == true;
  return could_lock ? IsRunning(false) : std::nullopt;
}

std::int64_t TrainingReader::changed_at_unix_s() const {
  struct stat status {};
  return fstat(file_, &status) == 0 ? static_cast<std::int64_t>(status.st_mtim.tv_sec) : 0;
}

// --- A folder

std::string training_state(const std::vector<ProgressRow>& rows, IsRunning running) {
  std::string state = "planning";
  for (const ProgressRow& row : rows) {
    if (row.event == "begin") state = "planning";
    if (row.event == "plan" || row.event == "step") state = "training";
    if (row.event != "end") continue;
    const JsonOut& how = row.members["state"];
    state = "failed";
    for (const Named<RunEndState>& known : kRunEndStates)
      if (how == std::string(known.name)) state = known.name;
  }
  const bool goes_on = state == "planning" || state == "training";
  return goes_on && running == false ? "died" : state;
}

std::string training_id(std::string_view name) {
  return sha256_of(name);
}

Result<std::vector<JsonOut>> trainings_in(const std::string& folder) {
  const Result<std::vector<FoundFile>> files = files_in(folder);
  if (!files.ok()) return files.error();
  std::vector<JsonOut> trainings;
  for (std::size_t k = 0; k < std::min(files->size(), kMostListed); ++k) {
    const std::string& name = (*files)[k].name;
    TrainingReader reader(folder, name);
    if (reader.is_open() && reader.begin()) trainings.push_back(listed(name, reader));
  }
  return trainings;
}

Result<std::optional<TrainingReader>> open_training(const std::string& folder,
                                                    const std::string& id) {
  const Result<std::vector<FoundFile>> files = files_in(folder);
  if (!files.ok()) return files.error();
  for (const FoundFile& file : *files) {
    if (training_id(file.name) != id) continue;
    TrainingReader reader(folder, file.name);
    if (reader.is_open() && reader.begin()) return std::optional(std::move(reader));
  }
  return std::optional<TrainingReader>();
}

}  // namespace poet
