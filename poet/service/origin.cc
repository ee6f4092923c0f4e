#include "poet/service/origin.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <strings.h>

#include <string_view>
#include <utility>

#include "poet/base/message_text.h"

namespace poet {
namespace {

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
