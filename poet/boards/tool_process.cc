#include "poet/boards/tool_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "poet/base/child_process.h"

namespace poet {
namespace {

constexpr int kLookForAStopEvery_ms = 100;
constexpr std::size_t kErrorBytes = 8 << 10;
constexpr int kOver = -1;  // what poll() does not look at

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
bool read_streams(pid_t child, const OwnedFile& output, const OwnedFile& errors, const Stop& stop,
                  LineCutter& lines, std::string& error_text) {
  std::array<pollfd, 2> streams = {pollfd{output.get(), POLLIN, 0},
                                   pollfd{errors.get(), POLLIN, 0}};
  std::array<char, 4096> piece{};
  bool stopped = false;
  while (streams[0].fd != kOver || streams[1].fd != kOver) {
    ::poll(streams.data(), streams.size(), kLookForAStopEvery_ms);
    if (!stopped && stop.requested()) {
      stopped = true;
      ::kill(-child, SIGKILL);
    }
    for (std::size_t k = 0; k < streams.size(); ++k) {
      if (streams[k].fd == kOver || streams[k].revents == 0) continue;
      const ssize_t got = ::read(streams[k].fd, piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) streams[k].fd = kOver;
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
  Result<Pipe> output = open_pipe();
  Result<Pipe> errors = open_pipe();
  for (const Result<Pipe>* const pipe : {&output, &errors})
    if (!pipe->ok())
      return Error{ErrorCode::Io, "cannot open a pipe: " + pipe->error().message, {}};
  // In a group of its own: Ctrl-C is for us to hand on.
  const Result<pid_t> child = start_child({.words = call.words,
                                           .folder = call.folder,
                                           .input = Nowhere{},
                                           .output = output->writing.get(),
                                           .errors = errors->writing.get()});
  if (!child.ok())
    return Error{child.error().code,
                 fmt::format("cannot run {}: {}; Debian has it in the package {}",
                             call.words.front(), child.error().message, package),
                 {}};
  output->writing.close();
  errors->writing.close();

  ToolEnd end;
  LineCutter lines(take_line);
  end.stopped = read_streams(*child, output->reading, errors->reading, stop, lines, end.errors);
  const Result<int> code = wait_for_child(*child);
  if (!code.ok()) return Error{ErrorCode::Io, "lost a program: " + code.error().message, {}};
  end.exit_code = *code;
  return end;
}

}  // namespace poet
