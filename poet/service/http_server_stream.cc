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
#include <string_view>
#include <utility>

namespace poet {
namespace {

constexpr std::size_t kLargestHead = 32 << 10;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

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

bool begins_with_name(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line[name.size()] == ':' &&
         strncasecmp(line.data(), name.data(), name.size()) == 0;
}

// The head without the lines that POET does not serve.
std::string served_head(std::string_view head) {
  std::string served;
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n") + 2;
    const std::string_view line = head.substr(0, end);
    if (!begins_with_name(line, "range") && !begins_with_name(line, "expect")) served += line;
    head.remove_prefix(end);
  }
  return served;
}

}  // namespace

ClientStream::ClientStream(socket_t socket, const StreamPatience& patience, std::string left_over)
    : socket_(socket), patience_(patience), buffer_(std::move(left_over)) {}

bool ClientStream::wait(short events, double& waited_s, double bytes) const {
  const double allowed_s = patience_.patience_s + bytes / patience_.least_bytes_per_s;
  const double start_s = patience_.elapsed_s();
  const double left_s = allowed_s - waited_s;
  if (left_s <= 0) return false;
  pollfd wanted{.fd = socket_, .events = events, .revents = 0};
  int ready = 0;
  do {
    ready = poll(&wanted, 1, static_cast<int>(std::ceil(left_s * 1000)));
  } while (ready < 0 && errno == EINTR);
  waited_s += patience_.elapsed_s() - start_s;
  return ready > 0;
}

bool ClientStream::wait_to_read() const {
  return wait(POLLIN, read_waited_s_, read_bytes_);
}

ssize_t ClientStream::receive() {
  if (!wait_to_read()) return -1;
  std::array<char, 16384> piece;
  const ssize_t count = recv(socket_, piece.data(), piece.size(), 0);
  if (count <= 0) return count;
  read_bytes_ += static_cast<double>(count);
  buffer_.append(piece.data(), static_cast<std::size_t>(count));
  return count;
}

ClientStream::Head ClientStream::read_head() {
  std::size_t end = buffer_.find(kHeadEnd);
  while (end == std::string::npos) {
    if (buffer_.size() > kLargestHead) return Head::TooLarge;
    const std::size_t seen = buffer_.size();
    const ssize_t count = receive();
    if (count == 0) return Head::Closed;
    if (count < 0) return seen == 0 ? Head::Closed : Head::TooSlow;
    end = buffer_.find(kHeadEnd, seen < 3 ? 0 : seen - 3);
  }
  if (end > kLargestHead) return Head::TooLarge;
  const std::size_t size = end + kHeadEnd.size();
  buffer_ = served_head(std::string_view(buffer_).substr(0, size)) + buffer_.substr(size);
  return Head::Read;
}

bool ClientStream::is_readable() const {
  return at_ < buffer_.size() || wait_to_read();
}

bool ClientStream::is_writable() const {
  return wait(POLLOUT, write_waited_s_, written_bytes_);
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
