#include "poet/service/http_server_stream.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

namespace poet {
namespace {

constexpr double kAskedAgainS = 0.2;  // whether it must end, while nothing comes
constexpr double kNeverS = 1e6;       // for poll(), which counts milliseconds in an int

using AddressOf = int (*)(int, sockaddr*, socklen_t*);

void address_of(socket_t socket, AddressOf ask, std::string& ip, int& port) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (ask(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;  // NOLINT
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  const int flags = NI_NUMERICHOST | NI_NUMERICSERV;
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host.data(),  // NOLINT
                  host.size(), service.data(), service.size(), flags) != 0)
    return;
  ip = host.data();
  port = std::atoi(service.data());
}

}  // namespace

ClientStream::ClientStream(socket_t socket, const StreamPatience& patience, std::string head,
                           std::string more, std::int64_t body_bytes)
    : socket_(socket), patience_(patience), buffer_(std::move(head)) {
  const std::size_t of_body = std::min(more.size(), static_cast<std::size_t>(body_bytes));
  buffer_.append(more, 0, of_body);
  beyond_ = more.substr(of_body);
  to_come_bytes_ = body_bytes - static_cast<std::int64_t>(of_body);
}

bool ClientStream::wait(short events, double& waited_s, double bytes,
                        const std::function<bool()>& must_end) const {
  const double allowed_s = patience_.patience_s + bytes / patience_.least_bytes_per_s;
  while (waited_s < allowed_s && !(must_end && must_end())) {
    const double start_s = patience_.elapsed_s();
    const double left_s = std::min(allowed_s - waited_s, must_end ? kAskedAgainS : kNeverS);
    pollfd wanted{.fd = socket_, .events = events, .revents = 0};
    const int ready = poll(&wanted, 1, static_cast<int>(std::ceil(left_s * 1000)));
    if (ready < 0 && errno != EINTR) return false;
    waited_s += patience_.elapsed_s() - start_s;
    if (ready > 0) return true;
  }
  return false;
}

bool ClientStream::wait_to_read() const {
  const bool ready = wait(POLLIN, read_waited_s_, read_bytes_, patience_.must_end);
  if (!ready) is_late_ = true;
  return ready;
}

ssize_t ClientStream::receive() {
  std::array<char, 16384> piece;
  const auto most =
      static_cast<std::size_t>(std::min(static_cast<std::int64_t>(piece.size()), to_come_bytes_));
  if (most == 0) return 0;
  ssize_t count = -1;
  do {
    if (!wait_to_read()) return -1;
    count = recv(socket_, piece.data(), most, 0);
  } while (count < 0 && (errno == EAGAIN || errno == EINTR));
  if (count <= 0) return count;
  to_come_bytes_ -= count;
  read_bytes_ += static_cast<double>(count);
  buffer_.append(piece.data(), static_cast<std::size_t>(count));
  return count;
}

bool ClientStream::is_readable() const {
  return at_ < buffer_.size() || to_come_bytes_ == 0 || wait_to_read();
}

bool ClientStream::is_writable() const {
  return wait(POLLOUT, write_waited_s_, written_bytes_, {});
}

ssize_t ClientStream::read(char* into, std::size_t size) {
  if (at_ == buffer_.size()) {
    buffer_.clear();
    at_ = 0;
    const ssize_t count = receive();
    if (count <= 0) return count;
  }
  const std::size_t given = std::min(size, buffer_.size() - at_);
  std::memcpy(into, buffer_.data() + at_, given);
  at_ += given;
  return static_cast<ssize_t>(given);
}

ssize_t ClientStream::write(const char* from, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    if (!is_writable()) return -1;
    const ssize_t count = send(socket_, from + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return -1;
    if (count <= 0) continue;
    done += static_cast<std::size_t>(count);
    written_bytes_ += static_cast<double>(count);
  }
  return static_cast<ssize_t>(size);
}

void ClientStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  address_of(socket_, getpeername, ip, port);
}

void ClientStream::get_local_ip_and_port(std::string& ip, int& port) const {
  address_of(socket_, getsockname, ip, port);
}

}  // namespace poet
