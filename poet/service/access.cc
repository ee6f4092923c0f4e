#include "poet/service/access.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/base/sha256.h"
#include "poet/service/http_head.h"
#include "poet/service/request_fields.h"

namespace poet {
namespace {

constexpr std::size_t kMostBuckets = 10'000;
constexpr std::string_view kBearer = "bearer ";
constexpr std::size_t kMappedBytes = 12;      // of IPv6, before an IPv4 address in it
constexpr std::ptrdiff_t kCustomerBytes = 8;  // of IPv6, that a provider gives

// "localhost" of "localhost:8080", "::1" of "[::1]:8080" and of "::1"; nothing of what is no host.
std::string host_name(const std::string& host) {
  std::string_view port;
  std::string_view name = host;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string::npos) return {};
    name = std::string_view(host).substr(1, end - 1);
    port = std::string_view(host).substr(end + 1);
  } else if (host.find(':') == host.rfind(':')) {  // several: an IPv6 address without brackets
    name = std::string_view(host).substr(0, host.find(':'));
    port = std::string_view(host).substr(name.size());
  }
  const bool good = port.empty() || (port[0] == ':' && port.find_first_not_of("0123456789", 1) ==
                                                           std::string_view::npos);
  return good ? std::string(name) : std::string();
}

bool is_loopback_ipv4(std::uint32_t network_order) {
  return ntohl(network_order) >> 24U == 127;
}

bool is_loopback_ipv6(const in6_addr& address) {
  if (IN6_IS_ADDR_LOOPBACK(&address)) return true;
  return IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == 127;
}

bool changes_something(const std::string& method) {
  return method != "GET" && method != "HEAD" && method != "OPTIONS";
}

bool is_allowed(const std::string& origin, const AccessOptions& options) {
  if (options.cors_origin.empty()) return false;
  return options.cors_origin == "*" || origin == options.cors_origin;
}

// Whether an address ("http://localhost:8321/x") is of the host that was asked.
bool is_of_host(const std::string& address, const std::string& host) {
  for (const char* const scheme : {"http://", "https://"}) {
    const std::string own = scheme + host;
    if (address == own || address.starts_with(own + "/")) return true;
  }
  return false;
}

// Sec-Fetch-Site cannot be set by pages, and comes with every request that a browser of these years
// makes to this machine or over TLS. Elsewhere there may be an Origin, of scripts, or a Referer.
bool is_of_other_site(const HttpRequest& request) {
  const std::string origin = request.header("origin");
  if (!origin.empty() && !is_of_host(origin, request.header("host"))) return true;
  const std::string site = request.header("sec-fetch-site");
  if (!site.empty()) return site != "same-origin" && site != "none";
  const std::string referer = request.header("referer");
  return !referer.empty() && !is_of_host(referer, request.header("host"));
}

ServiceError forbidden(std::string message) {
  return {.status = 403, .code = "forbidden", .message = std::move(message)};
}

ServiceError other_site() {
  return forbidden("a page of another site may not ask for this; the service has a --cors option");
}

}  // namespace

Result<TokenOwners> parse_tokens(std::string_view text, const std::string& file) {
  TokenOwners owners;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string hash = line.substr(0, end);
    if (!is_hex_digest(hash))
      return bad_input(
          "a line of a token file is the SHA-256 of a token, 64 hexadecimal digits, "
          "and a name: 'poet serve --new-token' writes such lines",
          {file, number, 1});
    const std::size_t name = std::min(line.find_first_not_of(' ', end), line.size());
    owners[hash] = name < line.size() ? line.substr(name) : hash;
  }
  return owners;
}

std::string share_of(const Caller& caller) {
  return caller.owner ? *caller.owner : rate_key(caller.address);
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
  // As numbers: one address has many texts, and zeros in the middle of it are left out.
  in6_addr parts{};
  if (inet_pton(AF_INET6, address.substr(0, address.find('%')).c_str(), &parts) != 1)
    return address;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (IN6_IS_ADDR_V4MAPPED(&parts)) {
    inet_ntop(AF_INET, &parts.s6_addr[kMappedBytes], text.data(), text.size());
    return text.data();
  }
  std::fill(std::begin(parts.s6_addr) + kCustomerBytes, std::end(parts.s6_addr), 0);
  inet_ntop(AF_INET6, &parts, text.data(), text.size());
  return std::string(text.data()) + "/64";
}

CallerOrError check_token(const HttpRequest& request, const std::optional<TokenOwners>& tokens) {
  CallerOrError result{.caller = {.address = request.address}};
  if (!tokens) return result;
  const std::string given = request.header("authorization");
  const bool is_bearer = in_small_letters(given.substr(0, kBearer.size())) == kBearer;
  if (is_bearer) {
    const auto found = tokens->find(sha256_of(given.substr(kBearer.size())));
    if (found != tokens->end()) {
      result.caller.token_hash = found->first;
      result.caller.owner = found->second;
      return result;
    }
  }
  result.error =
      ServiceError{.status = 401,
                   .code = "unauthorised",
                   .message = is_bearer ? "this token is not known"
                                        : "a token is needed: Authorization: Bearer TOKEN"};
  return result;
}

bool is_loopback_host(const std::string& host) {
  const std::string name = host_name(host);
  if (strcasecmp(name.c_str(), "localhost") == 0 && name.size() == 9) return true;
  in_addr ipv4{};
  if (inet_pton(AF_INET, name.c_str(), &ipv4) == 1) return is_loopback_ipv4(ipv4.s_addr);
  in6_addr ipv6{};
  return inet_pton(AF_INET6, name.c_str(), &ipv6) == 1 && is_loopback_ipv6(ipv6);
}

bool is_origin(const std::string& text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string::npos || scheme == 0) return false;
  constexpr std::string_view kOfScheme = "abcdefghijklmnopqrstuvwxyz0123456789+-.";
  if (text.find_first_not_of(kOfScheme) != scheme) return false;
  const std::string host = text.substr(scheme + 3);
  return !host_name(host).empty() && host.find_first_of("/?#@ \t") == std::string::npos;
}

std::optional<ServiceError> check_origin(const HttpRequest& request, const AccessOptions& options) {
  const std::string host = request.header("host");
  if (options.loopback_only && !host.empty() && !is_loopback_host(host))
    return forbidden(fmt::format(
        "this service is for its own machine: ask for localhost instead of {}", in_quotes(host)));
  const std::string origin = request.header("origin");
  if (origin.empty() || !changes_something(request.method)) return std::nullopt;
  if (is_allowed(origin, options) || is_of_host(origin, host)) return std::nullopt;
  return other_site();
}

std::optional<ServiceError> check_site(const HttpRequest& request, const AccessOptions& options) {
  if (is_allowed(request.header("origin"), options) || !is_of_other_site(request))
    return std::nullopt;
  return other_site();
}

}  // namespace poet
