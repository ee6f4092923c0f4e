#include "apps/cli/process_team.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>

namespace poet::cli {
namespace {

constexpr int kWaitMs = 100;

// A message is its length and its bytes.
bool send_all(int socket, const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* data, std::size_t size) {
  char* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = recv(socket, bytes, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send_text(int socket, const std::string& text) {
  const std::uint64_t size = text.size();
  return send_all(socket, &size, sizeof size) && send_all(socket, text.data(), text.size());
}

std::optional<std::string> receive_text(int socket) {
  std::uint64_t size = 0;
  if (!receive_all(socket, &size, sizeof size)) return std::nullopt;
  std::string text(size, '\0');
  if (!receive_all(socket, text.data(), text.size())) return std::nullopt;
  return text;
}

// A worker's whole life. Ctrl-C goes to every process of a terminal; the one that was asked ends
// the others.
[[noreturn]] void serve(int socket, const ProcessTeam::Answer& answer) {
  std::signal(SIGINT, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (const std::optional<std::string> question = receive_text(socket))
    if (!send_text(socket, answer(*question))) break;
  _exit(0);
}

}  // namespace

Result<std::unique_ptr<ProcessTeam>> ProcessTeam::start(int workers, const Answer& answer) {
  std::unique_ptr<ProcessTeam> team(new ProcessTeam(answer));
  for (int w = 0; w < workers; ++w) {
    const Result<Worker> worker = team->new_worker();
    if (!worker.ok()) return worker.error();
    team->workers_.push_back(*worker);
  }
  return team;
}

Result<ProcessTeam::Worker> ProcessTeam::new_worker() const {
  int ends[2] = {-1, -1};
  const bool paired = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
  const pid_t process = paired ? fork() : -1;
  if (process < 0) {
    const std::string why = std::strerror(errno);
    if (paired) close(ends[0]);
    if (paired) close(ends[1]);
    return Error{ErrorCode::Io, fmt::format("cannot start a process for the sweep: {}", why), {}};
  }
  if (process == 0) {
    close(ends[0]);
    for (const Worker& other : workers_)
      if (other.socket >= 0) close(other.socket);
    serve(ends[1], answer_);
  }
  close(ends[1]);
  return Worker{process, ends[0]};
}

void ProcessTeam::replace(Worker& worker) const {
  close(worker.socket);
  worker.socket = -1;
  kill(worker.process, SIGKILL);
  waitpid(worker.process, nullptr, 0);
  const Result<Worker> other = new_worker();
  worker = other.ok() ? *other : Worker{};
}

ProcessTeam::~ProcessTeam() {
  for (const Worker& worker : workers_) {
    if (worker.socket < 0) continue;
    close(worker.socket);
    kill(worker.process, SIGKILL);
    waitpid(worker.process, nullptr, 0);
  }
}

// One that is gone shows at the next wait().
void ProcessTeam::give(int worker, const std::string& question) {
  if (workers_[worker].socket >= 0) send_text(workers_[worker].socket, question);
}

SweepTeam::News ProcessTeam::wait() {
  std::vector<pollfd> sockets;
  for (const Worker& worker : workers_) sockets.push_back({worker.socket, POLLIN, 0});
  if (poll(sockets.data(), sockets.size(), kWaitMs) <= 0) return {};
  for (std::size_t w = 0; w < sockets.size(); ++w) {
    if (sockets[w].fd < 0 || sockets[w].revents == 0) continue;
    if (std::optional<std::string> text = receive_text(sockets[w].fd))
      return {News::Kind::Answer, static_cast<int>(w), *std::move(text)};
    replace(workers_[w]);
    return {workers_[w].socket >= 0 ? News::Kind::Lost : News::Kind::Gone, static_cast<int>(w), {}};
  }
  return {};
}

}  // namespace poet::cli
