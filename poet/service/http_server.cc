#include "poet/service/http_server.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/service/http_head.h"
#include "poet/service/http_server_stream.h"
#include "poet/service/reception.h"
#include "poet/service/routes.h"
#include "poet/service/upload_places.h"

namespace poet {
namespace {

constexpr int kBacklog = 1024;
constexpr std::size_t kMostRequests = 10'000;  // of one connection, as clients are told
constexpr int kUrgentThreads = 2;
constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr double kUrgentPatienceS = 0.2;  // beyond which one of them waits for nobody
// Connections may be open without a request. They cost no thread, and some hundred bytes.
constexpr int kOpenPerThread = 4;
constexpr int kLeastOpen = 128;

// All that stands in it, in its order. httplib leaves out what is the same twice, and takes a form
// in the body for a part of it.
std::vector<std::pair<std::string, std::string>> query_in(std::string_view target) {
  std::vector<std::pair<std::string, std::string>> query;
  target = target.substr(0, target.find('#'));
  std::size_t begin = target.find('?');
  while (begin != std::string_view::npos) {
    const std::size_t end = target.find('&', ++begin);
    const std::string_view piece = target.substr(begin, end - begin);
    begin = end;
    if (piece.empty()) continue;
    const std::size_t sign = std::min(piece.find('='), piece.size());
    const std::string_view value = piece.substr(std::min(sign + 1, piece.size()));
    query.emplace_back(httplib::detail::decode_url(std::string(piece.substr(0, sign)), true),
                       httplib::detail::decode_url(std::string(value), true));
  }
  return query;
}

// Without its body.
HttpRequest head_of(const httplib::Request& request) {
  HttpRequest head{.method = request.method, .path = request.path};
  head.query = query_in(request.target);
  for (const auto& [name, value] : request.headers) head.headers[in_small_letters(name)] = value;
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

const char* reason_phrase(int status) {
  switch (status) {
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Payload Too Large";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Bad Request";
  }
}

ServiceError request_too_slow() {
  return {.status = 408, .code = "timeout", .message = "the request took too long to arrive"};
}

// An answer to what never became a request of httplib's.
std::string raw_refusal(const ServiceError& error) {
  const HttpResponse response = error_response(error);
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      error.status, reason_phrase(error.status), response.body.size(), response.body);
}

// Of what httplib refuses by itself, by the status that it chose.
ServiceError error_of(int status, bool is_late) {
  if (is_late) return request_too_slow();
  if (status == 413)
    return {.status = status, .code = "too_large", .message = "the body is too large"};
  if (status == 414)
    return {.status = status, .code = "too_large", .message = "the address is too long"};
  return {.status = status, .message = "this is not an HTTP request that the service takes"};
}

// Whether the other side has closed, also while bytes that it sent before are unread.
bool has_hung_up(int socket) {
  pollfd wanted{.fd = socket, .events = POLLRDHUP, .revents = 0};
  return poll(&wanted, 1, 0) > 0 && (wanted.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

std::string refusal_text(Reception::Refusal why) {
  switch (why) {
    case Reception::Refusal::HeadTooSlow:
      return raw_refusal(request_too_slow());
    case Reception::Refusal::HeadTooLarge:
      return raw_refusal(
          {.status = 431, .code = "too_large", .message = "the head of the request is too large"});
    case Reception::Refusal::TooMany:
      break;
  }
  return raw_refusal({.status = 503,
                      .code = "unavailable",
                      .message = "too many connections are open; try again"});
}

ReceptionOptions reception_options(const HttpServerOptions& options, const Service& service) {
  const int most_open = std::max(kLeastOpen, kOpenPerThread * options.connections);
  return {.elapsed_s = service.clock().elapsed_s,
          .most_open = most_open,
          .most_open_each = most_open / 2,
          .most_served_each = served_each(options),
          .idle_s = options.idle_s,
          .patience_s = options.patience_s,
          .least_bytes_per_s = options.least_bytes_per_s};
}

bool is_always_answered(std::string_view head) {
  const AskedFor asked = asked_for(head);
  const FoundRoute found = find_route(asked.method, asked.path);
  return found.route != nullptr && found.route->always;
}

// httplib with our own way to read and write.
class PatientServer final : public httplib::Server {
 public:
  PatientServer(const HttpServerOptions& options, Service& service)
      : options_(options),
        service_(service),
        reception_(reception_options(options, service), is_always_answered, refusal_text),
        uploads_({.elapsed_s = service.clock().elapsed_s}) {
    set_payload_max_length(static_cast<std::size_t>(service.options().most_model_bytes));
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
      if (now_.upload) now_.upload->has_come = true;
      HttpRequest whole = whole_of(request);
      whole.client_left = [socket = now_.socket] { return has_hung_up(socket); };
      give(service_.answer(whole, Service::Checked::Yes), response);
    };
    Post("/.*", answer);
    Delete("/.*", answer);
    set_error_handler([this](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty()) return;
      give(error_response(error_of(response.status, now_.stream->is_late())), response);
      service_.metrics().count_request("none", response.status, 0);
    });
    // The last to see an answer before it is written, whoever made it.
    set_post_routing_handler([](const httplib::Request&, httplib::Response& response) {
      // What is left of a request must not be taken for the next one.
      now_.closes = now_.closes || !now_.is_understood || now_.stream->has_unread();
      if (!now_.closes) return;
      response.headers.erase("Keep-Alive");
      response.headers.erase("Connection");
      response.set_header("Connection", "close");
    });
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
          give(error_response({.status = 500, .code = "internal", .message = "a bug in POET"}),
               response);
        });
  }

  // Not httplib's listen_after_bind(), which gives each connection a thread.
  Failure run() {
    const int listening = svr_sock_;
    // httplib lets 5 connections wait to be accepted; those of a burst beyond them would wait
    // seconds.
    const bool ready = ::listen(listening, kBacklog) == 0 &&
                       ::fcntl(listening, F_SETFD, FD_CLOEXEC) == 0 &&
                       ::fcntl(listening, F_SETFL, O_NONBLOCK) == 0;
    if (!ready) return Error{ErrorCode::Io, "the service cannot listen", {}};
    std::vector<std::jthread> threads;
    for (int k = 0; k < options_.connections; ++k)
      threads.emplace_back([this] { serve_all(Reception::Lane::Usual); });
    for (int k = 0; k < kUrgentThreads; ++k)
      threads.emplace_back([this] { serve_all(Reception::Lane::Urgent); });
    Failure failure = reception_.run(listening);
    stop_serving();
    threads.clear();
    ::close(listening);
    return failure;
  }

  void stop_serving() {
    ending_ = true;
    svr_sock_ = INVALID_SOCKET;  // by which httplib knows that streams are to end
    reception_.stop();
  }

 private:
  using Answered = httplib::Server::HandlerResponse;

  // What has no body is answered here; what has one is refused here, or read.
  Answered before_body(const httplib::Request& request, httplib::Response& response) {
    now_.is_understood = true;
    HttpRequest head = head_of(request);
    head.client_left = [socket = now_.socket] { return has_hung_up(socket); };
    const bool has_body = request.method == "POST" || request.method == "DELETE";
    if (!has_body) {
      const HttpResponse answer = service_.answer(head);
      give(answer, response);
      now_.closes = static_cast<bool>(answer.stream);  // which ends with its connection
      return Answered::Handled;
    }
    std::optional<HttpResponse> refused = service_.refuse_early(head);
    if (!refused && is_large(head) && !has_upload_place(request.remote_addr)) {
      refused = error_response({.status = 429,
                                .code = "rate_limited",
                                .message = "too many models are being uploaded; try again"});
      refused->headers.emplace_back("Retry-After", "2");
    }
    if (!refused) {
      if (now_.awaits_word) now_.stream->write(kGoOn.data(), kGoOn.size());
      return Answered::Unhandled;
    }
    give(*refused, response);
    now_.closes = true;
    return Answered::Handled;
  }

  bool is_large(const HttpRequest& head) const {
    const std::string length = head.header("content-length");
    return length.size() > 18 ||
           (!length.empty() && std::stoll(length) > service_.options().most_body_bytes);
  }

  bool has_upload_place(const std::string& address) {
    now_.upload = uploads_.take(address);
    return now_.upload != nullptr;
  }

  void serve_all(Reception::Lane lane) {
    while (std::optional<Reception::Visit> visit = reception_.next(lane)) {
      std::string more;
      if (serve(*visit, more))
        reception_.keep(*visit, std::move(more));
      else
        reception_.dismiss(*visit);
    }
  }

  // Whether the connection goes on, with `more` of what comes next.
  bool serve(Reception::Visit& visit, std::string& more) {
    const auto body = body_bytes_of(visit.head);
    const ServiceError* const wrong = std::get_if<ServiceError>(&body);
    const double patience_s =
        visit.is_urgent ? std::min(kUrgentPatienceS, options_.patience_s) : options_.patience_s;
    ClientStream stream(visit.socket,
                        {.elapsed_s = service_.clock().elapsed_s,
                         .patience_s = patience_s,
                         .least_bytes_per_s = options_.least_bytes_per_s,
                         .must_end = [] { return now_.upload && now_.upload->gives_way; }},
                        served_head(visit.head), std::move(visit.more),
                        wrong == nullptr ? std::get<std::int64_t>(body) : 0);
    if (wrong != nullptr) {
      service_.metrics().count_request("none", wrong->status, 0);
      stream.write(raw_refusal(*wrong));
      return false;
    }
    now_ = {.socket = visit.socket, .stream = &stream, .awaits_word = awaits_word(visit.head)};
    bool closed = false;
    const bool well = process_request(stream, ending_, closed, nullptr);
    now_.stream = nullptr;
    now_.upload = nullptr;
    more = stream.left_over();
    return well && !closed && !now_.closes && !stream.has_unread() && !ending_;
  }

  // Of the request that this thread serves.
  struct Now {
    int socket = -1;
    ClientStream* stream = nullptr;
    bool awaits_word = false;         // before it sends its body
    bool is_understood = false;       // httplib takes its head for one
    bool closes = false;              // the connection, after it
    UploadPlaces::Place upload = {};  // of a large body
  };

  HttpServerOptions options_;
  Service& service_;
  Reception reception_;
  std::atomic<bool> ending_ = false;
  UploadPlaces uploads_;
  static thread_local Now now_;
};

thread_local PatientServer::Now PatientServer::now_;

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
  return parts_->server.run();
}

void HttpServer::stop() {
  parts_->server.stop_serving();
}

int served_each(const HttpServerOptions& options) {
  const int asked = options.per_address > 0 ? options.per_address : options.connections / 2;
  return std::clamp(asked, 1, options.connections);
}

}  // namespace poet
