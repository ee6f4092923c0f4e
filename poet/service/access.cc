#include "poet/service/access.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "poet/base/sha256.h"
#include "poet/service/request_fields.h"

namespace poet {
namespace {

constexpr std::size_t kMostBuckets = 10'000;
constexpr std::string_view kBearer = "Bearer ";

// "localhost" of "localhost:8080", "[::1]" of "[::1]:8080".
std::string host_name(const std::string& host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool names_this_machine(const std::string& host) {
  const std::string name = host_name(host);
  return name.empty() || name == "localhost" || name == "[::1]" || name.starts_with("127.");
}

bool changes_something(const std::string& method) {
  return method != "GET" && method != "HEAD" && method != "OPTIONS";
}

ServiceError forbidden(std::string message) {
  return {.status = 403, .code = "forbidden", .message = std::move(message)};
}

}  // namespace

Result<std::set<std::string>> parse_token_hashes(std::string_view text, const std::string& file) {
  std::set<std::string> hashes;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::string hash = line.substr(0, line.find(' '));
    if (!is_hex_digest(hash))
      return bad_input(
          "a line of a token file is the SHA-256 of a token, 64 hexadecimal digits, "
          "and a name: 'poet serve --new-token' writes such lines",
          {file, number, 1});
    hashes.insert(hash);
  }
  return hashes;
}

std::optional<double> RateLimit::refuse(const std::string& address, double now_s) {
  if (rate_ <= 0) return std::nullopt;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (buckets_.size() > kMostBuckets) forget_full_ones(now_s);
  Bucket& bucket = buckets_.try_emplace(rate_key(address), Bucket{burst_, now_s}).first->second;
  bucket.tokens = std::min(burst_, bucket.tokens + (now_s - bucket.at_s) * rate_);
  bucket.at_s = now_s;
  if (bucket.tokens < 1) return (1 - bucket.tokens) / rate_;
  bucket.tokens -= 1;
  return std::nullopt;
}

void RateLimit::forget_full_ones(double now_s) {
  std::erase_if(buckets_, [&](const auto& entry) {
    return entry.second.tokens + (now_s - entry.second.at_s) * rate_ >= burst_;
  });
}

std::string rate_key(const std::string& address) {
  std::size_t end = 0;
  for (int groups = 0; groups < 4 && end != std::string::npos; ++groups) {
    const std::size_t colon = address.find(':', end);
    if (colon == std::string::npos) return address;
    end = colon + 1;
  }
  return address.substr(0, end);
}

std::optional<ServiceError> check_origin(const HttpRequest& request, const AccessOptions& options) {
  const std::string host = request.header("host");
  if (options.loopback_only && !names_this_machine(host))
    return forbidden(
        fmt::format("this service is for its own machine: ask for localhost instead of '{}'",
                    host_name(host).substr(0, 100)));
  const std::string origin = request.header("origin");
  if (origin.empty() || !changes_something(request.method)) return std::nullopt;
  if (options.cors_origin == "*" || origin == options.cors_origin) return std::nullopt;
  if (origin == "http://" + host || origin == "https://" + host) return std::nullopt;
  return forbidden("a page of another site may not ask for this; the service has a --cors option");
}

std::optional<ServiceError> check_token(const HttpRequest& request, const AccessOptions& options) {
  if (options.token_hashes.empty()) return std::nullopt;
  const std::string given = request.header("authorization");
  const bool known = given.starts_with(kBearer) &&
                     options.token_hashes.contains(sha256_of(given.substr(kBearer.size())));
  if (known) return std::nullopt;
  return ServiceError{.status = 401,
                      .code = "unauthorised",
                      .message = given.empty() ? "a token is needed: Authorization: Bearer TOKEN"
                                               : "this token is not known"};
}

}  // namespace poet
