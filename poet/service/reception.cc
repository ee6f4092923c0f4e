#include "poet/service/reception.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "poet/base/file_calls.h"
#include "poet/service/access.h"
#include "poet/service/http_head.h"

namespace poet {
namespace {

constexpr std::size_t kLargestHead = 32 << 10;
constexpr int kSweepMs = 100;
constexpr double kLeaveS = 1;  // that a client may take to read our last words
constexpr int kAtOnce = 64;    // events, and connections accepted before others are looked at
constexpr int kPauseMs = 10;   // when the system has no more descriptors
constexpr std::uint64_t kListening = 0;
constexpr std::uint64_t kWake = ~std::uint64_t{0};

std::string numeric_address(const sockaddr_storage& address, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  const auto* const given = reinterpret_cast<const sockaddr*>(&address);  // NOLINT
  if (getnameinfo(given, size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return {};
  return host.data();
}

bool add_to(int events, int file, std::uint64_t number) {
  epoll_event wanted{};
  wanted.events = EPOLLIN | EPOLLRDHUP;
  wanted.data.u64 = number;
  return epoll_ctl(events, EPOLL_CTL_ADD, file, &wanted) == 0;
}

}  // namespace

Reception::Reception(ReceptionOptions options, std::function<bool(std::string_view)> is_urgent,
                     std::function<std::string(Refusal)> refusal)
    : options_(std::move(options)),
      is_urgent_(std::move(is_urgent)),
      refusal_(std::move(refusal)),
      events_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      turns_(options_.most_served_each) {}

Reception::~Reception() {
  for (const int file : {events_, wake_})
    if (file >= 0) ::close(file);
}

Failure Reception::run(int listening) {
  if (events_ < 0 || wake_ < 0 || !add_to(events_, listening, kListening) ||
      !add_to(events_, wake_, kWake))
    return Error{ErrorCode::Io, "cannot wait for connections: " + reason_of(errno), {}};
  std::array<epoll_event, kAtOnce> happened{};
  while (true) {
    const int count = epoll_wait(events_, happened.data(), kAtOnce, kSweepMs);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ending_) break;
    for (int k = 0; k < count; ++k) {
      const std::uint64_t number = happened[static_cast<std::size_t>(k)].data.u64;
      if (number == kListening)
        accept_all(listening);
      else if (number != kWake)
        serve_event(number);
    }
    sweep();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, connection] : connections_)
    if (connection.state != State::Served) numbers.push_back(number);
  for (const std::uint64_t number : numbers) close(number);
  return std::nullopt;
}

void Reception::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  ready_.notify_all();
  urgent_ready_.notify_all();
  const std::uint64_t one = 1;
  // Fails only when the counter is full: then the other side is awake already.
  static_cast<void>(!::write(wake_, &one, sizeof one));
}

std::optional<Reception::Visit> Reception::next(Lane lane) {
  std::unique_lock<std::mutex> lock(mutex_);
  std::optional<std::uint64_t> number;
  (lane == Lane::Usual ? ready_ : urgent_ready_).wait(lock, [&] {
    if (ending_) return true;
    if (lane == Lane::Usual) {
      number = turns_.next();
    } else if (!urgent_.empty()) {
      number = urgent_.front();
      urgent_.pop_front();
    }
    return number.has_value();
  });
  if (!number) return std::nullopt;
  Connection& connection = connections_.at(*number);
  connection.state = State::Served;
  const std::size_t end = connection.buffer.find(kHeadEnd) + kHeadEnd.size();
  Visit visit{.number = *number, .socket = connection.socket, .is_urgent = lane == Lane::Urgent};
  visit.more = connection.buffer.substr(end);
  visit.head = std::exchange(connection.buffer, {});
  visit.head.resize(end);
  return visit;
}

void Reception::keep(const Visit& visit, std::string more) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Connection& connection = connections_.at(visit.number);
  if (!visit.is_urgent) turns_.done(connection.who);
  if (ending_) return close(visit.number);
  connection.buffer = std::move(more);
  connection.state = State::Listening;
  connection.since_s = now_s();
  hear(visit.number, connection);
  const auto still = connections_.find(visit.number);
  if (still != connections_.end() && still->second.state == State::Listening)
    watch(visit.number, still->second);
  ready_.notify_one();  // somebody of this address may be served again
}

void Reception::dismiss(const Visit& visit) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Connection& connection = connections_.at(visit.number);
  if (!visit.is_urgent) turns_.done(connection.who);
  ready_.notify_one();  // somebody of this address may be served again
  if (ending_) {
    ::shutdown(connection.socket, SHUT_RDWR);
    return close(visit.number);
  }
  leave(connection);
  watch(visit.number, connection);
}

void Reception::serve_event(std::uint64_t number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;  // closed since
  if (found->second.state == State::Listening) return read_head(number, found->second);
  if (found->second.state == State::Leaving) discard(number, found->second);
}

void Reception::accept_all(int listening) {
  for (int k = 0; k < kAtOnce; ++k) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int socket = ::accept4(listening, reinterpret_cast<sockaddr*>(&address),  // NOLINT
                                 &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) {
      receive(socket, rate_key(numeric_address(address, size)));
      continue;
    }
    const bool no_more_files = errno == EMFILE || errno == ENFILE;
    if (!no_more_files) return;
    if (!send_one_away(who_has_most())) ::poll(nullptr, 0, kPauseMs);
    return;
  }
}

void Reception::receive(int socket, const std::string& who) {
  const int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const std::uint64_t number = ++last_number_;
  const bool has_room = make_room(who);
  ++open_by_[who];
  Connection& connection =
      connections_.emplace(number, Connection{.socket = socket, .who = who, .since_s = now_s()})
          .first->second;
  if (has_room)
    watch(number, connection);
  else
    refuse(number, Refusal::TooMany);
}

// Whether there is a place for one more connection of this address.
bool Reception::make_room(const std::string& who) {
  const auto own = open_by_.find(who);
  if (own != open_by_.end() && own->second >= options_.most_open_each) return send_one_away(who);
  if (std::ssize(connections_) >= options_.most_open) return send_one_away(who_has_most());
  return true;
}

// First those that are leaving, then the longest silent, then the request that has waited least.
bool Reception::send_one_away(const std::string& who) {
  const auto rank = [](const Connection& one) {
    if (one.state == State::Ready) return std::pair(2, -one.since_s);
    return std::pair(one.state == State::Leaving ? 0 : 1, one.since_s);
  };
  auto chosen = connections_.end();
  for (auto one = connections_.begin(); one != connections_.end(); ++one) {
    if (one->second.who != who || one->second.state == State::Served) continue;
    if (chosen == connections_.end() || rank(one->second) < rank(chosen->second)) chosen = one;
  }
  if (chosen == connections_.end()) return false;
  if (chosen->second.state == State::Ready)
    refuse(chosen->first, Refusal::TooMany);
  else
    close(chosen->first);
  return true;
}

std::string Reception::who_has_most() const {
  const auto most = std::max_element(
      open_by_.begin(), open_by_.end(),
      [](const auto& one, const auto& other) { return one.second < other.second; });
  return most == open_by_.end() ? std::string() : most->first;
}

void Reception::read_head(std::uint64_t number, Connection& connection) {
  std::array<char, 16384> piece;
  const ssize_t count = ::recv(connection.socket, piece.data(), piece.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return close(number);
  if (connection.buffer.empty()) connection.since_s = now_s();
  connection.buffer.append(piece.data(), static_cast<std::size_t>(count));
  hear(number, connection);
  // Its thread reads what comes now.
  const auto still = connections_.find(number);
  if (still != connections_.end() && still->second.state == State::Ready)
    epoll_ctl(events_, EPOLL_CTL_DEL, still->second.socket, nullptr);
}

// Whether a head is whole, or too large.
void Reception::hear(std::uint64_t number, Connection& connection) {
  const std::size_t end = connection.buffer.find(kHeadEnd);
  const bool whole = end != std::string::npos;
  if ((whole ? end : connection.buffer.size()) > kLargestHead)
    return refuse(number, Refusal::HeadTooLarge);
  if (!whole) return;
  connection.state = State::Ready;
  connection.since_s = now_s();
  const std::string_view head =
      std::string_view(connection.buffer).substr(0, end + kHeadEnd.size());
  if (is_urgent_(head)) {
    urgent_.push_back(number);
    urgent_ready_.notify_one();
  } else {
    turns_.wait(connection.who, number);
    ready_.notify_one();
  }
}

void Reception::watch(std::uint64_t number, const Connection& connection) {
  if (!add_to(events_, connection.socket, number)) close(number);
}

// What is still sent by a client that is leaving. Closing before it is read would throw away, at
// the client, what we said last.
void Reception::discard(std::uint64_t number, Connection& connection) {
  std::array<char, 16384> piece;
  const ssize_t count = ::recv(connection.socket, piece.data(), piece.size(), 0);
  const bool more_to_come = count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  if (!more_to_come) close(number);
}

// Only what fits into the socket at once: nobody waits for somebody who is sent away.
void Reception::refuse(std::uint64_t number, Refusal why) {
  Connection& connection = connections_.at(number);
  const std::string text = refusal_(why);
  static_cast<void>(
      ::send(connection.socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  if (connection.state == State::Ready) {
    turns_.leave(connection.who, number);
    std::erase(urgent_, number);
  }
  epoll_ctl(events_, EPOLL_CTL_DEL, connection.socket, nullptr);
  leave(connection);
  watch(number, connection);
}

void Reception::leave(Connection& connection) {
  ::shutdown(connection.socket, SHUT_WR);
  connection.state = State::Leaving;
  connection.since_s = now_s();
}

void Reception::close(std::uint64_t number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  const Connection& connection = found->second;
  if (connection.state == State::Ready) {
    turns_.leave(connection.who, number);
    std::erase(urgent_, number);
  }
  ::close(connection.socket);  // which ends watching it
  if (--open_by_[connection.who] == 0) open_by_.erase(connection.who);
  connections_.erase(found);
}

void Reception::sweep() {
  const double now = now_s();
  if (now < swept_s_ + kSweepMs / 1000.0) return;
  swept_s_ = now;
  std::vector<std::uint64_t> over;
  for (const auto& [number, one] : connections_) {
    const double waited_s = now - one.since_s;
    const double head_s =
        options_.patience_s + static_cast<double>(one.buffer.size()) / options_.least_bytes_per_s;
    if (one.state == State::Leaving && waited_s > kLeaveS) over.push_back(number);
    if (one.state == State::Listening && waited_s > (one.buffer.empty() ? options_.idle_s : head_s))
      over.push_back(number);
  }
  for (const std::uint64_t number : over) {
    const Connection& one = connections_.at(number);
    if (one.state == State::Listening && !one.buffer.empty())
      refuse(number, Refusal::HeadTooSlow);
    else
      close(number);
  }
}

}  // namespace poet
