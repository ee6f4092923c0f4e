// Whatever bytes a client sends, on one connection and to its end, the service answers each request
// that it can make out, in HTTP, and never with an error of its own; it goes on serving others.
// Jobs that are asked for fail at once: their worker is a program that does nothing.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "poet/base/check.h"
#include "poet/service/http_server.h"
#include "poet/service/service.h"

namespace {

using namespace poet;

ServiceClock clocks() {
  using std::chrono::steady_clock;
  const auto begin = steady_clock::now();
  return {
      .elapsed_s =
          [begin] { return std::chrono::duration<double>(steady_clock::now() - begin).count(); },
      .unix_s = [] { return std::int64_t{1'800'000'000}; }};
}

// A service on this machine's own address, for the whole run.
class Served {
 public:
  Served() {
    std::signal(SIGPIPE, SIG_IGN);
    folder_ = (std::filesystem::temp_directory_path() / "poet-service-fuzz-XXXXXX").string();
    POET_CHECK(mkdtemp(folder_.data()) != nullptr);
    ServiceOptions options;
    options.store_folder = folder_;
    options.worker_program = {"/bin/false"};
    options.access.requests_per_s = 0;
    options.most_store_bytes = 64 << 20;
    options.most_model_bytes = 1 << 20;
    options.solve_wait_s = 0.2;
    Result<std::unique_ptr<Service>> service = Service::open(options, clocks(), [](auto&) {});
    POET_CHECK(service.ok());
    service_ = *std::move(service);
    HttpServerOptions http{.port = 0, .connections = 8, .idle_s = 0.05, .patience_s = 0.5};
    server_ = std::make_unique<HttpServer>(http, *service_);
    const Result<int> port = server_->bind();
    POET_CHECK(port.ok());
    port_ = *port;
    thread_ = std::thread([this] { POET_CHECK(!server_->run()); });
  }
  ~Served() {
    service_->stop();
    server_->stop();
    thread_.join();
    server_.reset();
    service_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  // All that comes back for these bytes until the service closes the connection.
  std::string answer(const std::uint8_t* data, std::size_t size) const {
    const int connection = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    POET_CHECK(connection >= 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    POET_CHECK(::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
               0);
    while (size > 0) {
      const ssize_t sent = ::send(connection, data, size, MSG_NOSIGNAL);
      if (sent <= 0) break;  // it may close before it has read everything
      data += sent;
      size -= static_cast<std::size_t>(sent);
    }
    ::shutdown(connection, SHUT_WR);
    std::string text;
    char piece[4096];
    for (ssize_t got = 0; (got = ::recv(connection, piece, sizeof piece, 0)) > 0;)
      text.append(piece, static_cast<std::size_t>(got));
    ::close(connection);
    return text;
  }

 private:
  std::string folder_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<HttpServer> server_;
  int port_ = 0;
  std::thread thread_;
};

// Of all the answers on one connection, each as long as its head says. One that does not say it is
// the last.
bool has_an_answer_that_begins(std::string_view text, std::string_view status) {
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  constexpr std::string_view kEndOfHead = "\r\n\r\n";
  while (!text.empty()) {
    if (text.starts_with(status)) return true;
    const std::size_t end = text.find(kEndOfHead);
    if (end == std::string_view::npos) return false;
    const std::string_view head = text.substr(0, end);
    const std::size_t length = head.find(kLength);
    if (length == std::string_view::npos) return false;
    const std::string digits(head.substr(length + kLength.size()));
    const std::size_t bytes = std::strtoull(digits.c_str(), nullptr, 10);
    text.remove_prefix(end + kEndOfHead.size());
    text.remove_prefix(std::min(text.size(), bytes));
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Served served;
  const std::string text = served.answer(data, size);
  POET_CHECK(text.empty() || text.starts_with("HTTP/1.1 "));
  // 503 and 507 are answers, of a full house; an error of the service itself is a bug, but for
  // what it says of the worker here. What it says of a request may have any words in it.
  const bool is_broken = has_an_answer_that_begins(text, "HTTP/1.1 500");
  POET_CHECK(!is_broken || text.find("the worker ended without an answer") != std::string::npos);
  return 0;
}
