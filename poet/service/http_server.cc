#include "poet/service/http_server.h"

#include <fmt/core.h>
#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/service/http_server_stream.h"

namespace poet {
namespace {

constexpr int kPollMs = 200;
constexpr std::size_t kMostRequests = 10'000;  // of one connection
constexpr std::size_t kQueuePerThread = 2;     // connections that wait for a thread

std::string small(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

// Without its body.
HttpRequest head_of(const httplib::Request& request) {
  HttpRequest head{.method = request.method, .path = request.path};
  for (const auto& [name, value] : request.params) head.query.emplace_back(name, value);
  for (const auto& [name, value] : request.headers) head.headers[small(name)] = value;
  head.address = request.remote_addr;
  return head;
}

HttpRequest whole_of(const httplib::Request& request) {
  HttpRequest whole = head_of(request);
  whole.body = request.body;
  for (const auto& [name, part] : request.files)
    whole.form.push_back({part.name, part.filename, part.content});
  return whole;
}

void give(const HttpResponse& from, httplib::Response& to) {
  to.status = from.status;
  for (const auto& [name, value] : from.headers) to.set_header(name.c_str(), value);
  if (!from.stream) {
    if (!from.content_type.empty()) to.set_content(from.body, from.content_type.c_str());
    return;
  }
  to.set_content_provider(from.content_type.c_str(), [stream = from.stream](
                                                         std::size_t, httplib::DataSink& sink) {
    stream([&sink](const std::string& piece) { return sink.write(piece.data(), piece.size()); });
    sink.done();
    return true;
  });
}

bool announces_body(const HttpRequest& head) {
  const std::string length = head.header("content-length");
  return !head.header("transfer-encoding").empty() || (!length.empty() && length != "0");
}

std::string raw_refusal(int status, const char* reason, const ServiceError& error) {
  const HttpResponse response = error_response(error);
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      status, reason, response.body.size(), response.body);
}

// Threads for connections; who comes when all are busy waits, and when too many wait, is not even
// accepted.
class ConnectionPool final : public httplib::TaskQueue {
 public:
  explicit ConnectionPool(int threads)
      : most_(static_cast<std::size_t>(threads) * kQueuePerThread) {
    for (int k = 0; k < threads; ++k) threads_.emplace_back([this] { work(); });
  }

  void enqueue(std::function<void()> task) override {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return tasks_.size() < most_; });
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }

  void shutdown() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !tasks_.empty() || ending_; });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      changed_.notify_all();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

// httplib with our own way to read and write.
class PatientServer final : public httplib::Server {
 public:
  PatientServer(const HttpServerOptions& options, Service& service)
      : options_(options), service_(service) {
    new_task_queue = [this] { return new ConnectionPool(options_.connections); };
    set_payload_max_length(static_cast<std::size_t>(service.options().most_model_bytes));
    set_tcp_nodelay(true);
    // Not SO_REUSEPORT, which httplib sets: two services would share a port without a word.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_keep_alive_max_count(kMostRequests);  // what it tells clients
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return before_body(request, response);
    });
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      give(service_.answer(whole_of(request), Service::Checked::Yes), response);
    };
    Post("/.*", answer);
    Delete("/.*", answer);
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty()) return;
      give(error_response({.status = response.status,
                           .code = response.status == 413 ? "too_large" : "bad_request",
                           .message = response.status == 413
                                          ? "the body is too large"
                                          : "this is no request of HTTP that the service takes"}),
           response);
    });
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
          give(error_response({.status = 500, .code = "internal", .message = "a bug in POET"}),
               response);
        });
  }

  void let_go() { ending_ = true; }

 private:
  using Answered = httplib::Server::HandlerResponse;

  // What has no body is answered here; what has one is refused here, or read.
  Answered before_body(const httplib::Request& request, httplib::Response& response) {
    const HttpRequest head = head_of(request);
    const bool has_body = request.method == "POST" || request.method == "DELETE";
    if (!has_body) {
      give(service_.answer(head), response);
      // A body that nobody asked for is not read either.
      closes_ = announces_body(head);
      if (closes_) response.set_header("Connection", "close");
      return Answered::Handled;
    }
    std::optional<HttpResponse> refused = service_.refuse_early(head);
    if (!refused && is_large(head) && !upload_turn()) {
      refused = error_response({.status = 429,
                                .code = "rate_limited",
                                .message = "too many models are being uploaded; try again"});
      refused->headers.emplace_back("Retry-After", "2");
    }
    if (!refused) return Answered::Unhandled;
    give(*refused, response);
    response.set_header("Connection", "close");
    closes_ = true;  // its body was not read
    return Answered::Handled;
  }

  bool is_large(const HttpRequest& head) const {
    const std::string length = head.header("content-length");
    return length.size() > 18 ||
           (!length.empty() && std::stoll(length) > service_.options().most_body_bytes);
  }

  bool upload_turn() {
    if (++uploads_ > options_.uploads) {
      --uploads_;
      return false;
    }
    uploading_ = true;
    return true;
  }

  bool process_and_close_socket(socket_t socket) override {
    std::string left_over;
    for (std::size_t served = 0; served < kMostRequests && !ending_; ++served) {
      if (left_over.empty() && !wait_for_request(socket)) break;
      if (!serve_one(socket, left_over)) break;
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return true;
  }

  bool wait_for_request(socket_t socket) const {
    const double start_s = service_.clock().elapsed_s();
    while (!ending_ && service_.clock().elapsed_s() < start_s + options_.idle_s) {
      pollfd wanted{.fd = socket, .events = POLLIN, .revents = 0};
      if (poll(&wanted, 1, kPollMs) > 0) return true;
    }
    return false;
  }

  // Whether the connection goes on.
  bool serve_one(socket_t socket, std::string& left_over) {
    ClientStream stream(socket,
                        {.elapsed_s = service_.clock().elapsed_s,
                         .patience_s = options_.patience_s,
                         .least_bytes_per_s = options_.least_bytes_per_s},
                        std::move(left_over));
    switch (stream.read_head()) {
      case ClientStream::Head::Closed:
        return false;
      case ClientStream::Head::TooSlow:
        stream.write(raw_refusal(
            408, "Request Timeout",
            {.status = 408, .code = "timeout", .message = "the request took too long to arrive"}));
        return false;
      case ClientStream::Head::TooLarge:
        stream.write(raw_refusal(431, "Request Header Fields Too Large",
                                 {.status = 431,
                                  .code = "too_large",
                                  .message = "the head of the request is too large"}));
        return false;
      case ClientStream::Head::Read:
        break;
    }
    closes_ = false;
    uploading_ = false;
    bool closed = false;
    const bool well = process_request(stream, ending_, closed, nullptr);
    if (uploading_) --uploads_;
    left_over = stream.left_over();
    return well && !closed && !closes_ && !ending_;
  }

  HttpServerOptions options_;
  Service& service_;
  std::atomic<bool> ending_ = false;
  std::atomic<int> uploads_ = 0;
  // Of the request that this thread serves.
  static thread_local bool closes_;
  static thread_local bool uploading_;
};

thread_local bool PatientServer::closes_ = false;
thread_local bool PatientServer::uploading_ = false;

}  // namespace

struct HttpServer::Parts {
  Parts(HttpServerOptions of, Service& service)
      : options(std::move(of)), server(options, service) {}
  HttpServerOptions options;
  PatientServer server;
};

HttpServer::HttpServer(HttpServerOptions options, Service& service)
    : parts_(std::make_unique<Parts>(std::move(options), service)) {}

HttpServer::~HttpServer() = default;

Result<int> HttpServer::bind() {
  const HttpServerOptions& options = parts_->options;
  const int port =
      options.port != 0
          ? (parts_->server.bind_to_port(options.host, options.port) ? options.port : -1)
          : parts_->server.bind_to_any_port(options.host);
  if (port > 0) return port;
  return Error{ErrorCode::Io,
               fmt::format("cannot listen on {} port {}: the address is not this machine's, or the "
                           "port is taken",
                           in_quotes(options.host), options.port),
               {}};
}

Failure HttpServer::run() {
  if (parts_->server.listen_after_bind()) return std::nullopt;
  return Error{ErrorCode::Io, "the service stopped listening", {}};
}

void HttpServer::stop() {
  parts_->server.let_go();
  parts_->server.stop();
}

}  // namespace poet
