#pragma once

#include <functional>
#include <memory>
#include <string>

#include "poet/base/result.h"
#include "poet/service/service.h"

namespace poet {

struct HttpServerOptions {
  std::string host = "127.0.0.1";
  int port = 8321;         // 0: any that is free
  int connections = 256;   // requests that are served at the same time
  int per_address = 0;     // and of one address; 0: half of them
  double idle_s = 5;       // that a connection may be silent between requests
  double patience_s = 10;  // that a client may keep us waiting in one request, beyond its bytes
  double least_bytes_per_s = 16'384;
};

// How many requests of one address are served at the same time.
int served_each(const HttpServerOptions& options);

// Listens and lets a service answer. Connections without a request cost no thread (Reception), and
// GET /healthz has threads of its own. Slow readers and writers are given up: a request may keep a
// thread waiting no longer than `patience_s` and the time that its bytes take at the least rate.
class HttpServer {
 public:
  HttpServer(HttpServerOptions options, Service& service);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The port that it will listen on. Refuses addresses that are not there or taken.
  Result<int> bind();
  // Answers until stop(), which another thread calls.
  Failure run();
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace poet
