#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/service/http_message.h"
#include "poet/service/service_error.h"

namespace poet {

// Who may ask: whose each token is, by its SHA-256.
using TokenOwners = std::map<std::string, std::string>;

struct AccessOptions {
  std::optional<TokenOwners> tokens = {};  // none: everybody may; empty: nobody
  std::string cors_origin = {};            // whose pages may read answers; empty: only its own
  bool loopback_only = true;               // it listens on this machine only
  double requests_per_s = 100;             // of one address; 0: no limit
  double burst = 400;                      // that may come at once
};

// A file of tokens: a line each, 64 hexadecimal digits and, after a blank, the name of its owner;
// several tokens may have one owner, and a token without a name is its own. '#' begins a comment.
Result<TokenOwners> parse_tokens(std::string_view text, const std::string& file);

// Who sent a request.
struct Caller {
  std::optional<std::string> owner = {};  // of the token; none where no token is needed
  std::string token_hash = {};
  std::string address = {};
};

// Whose turn a job of theirs takes: their owner's, or their address's where there are no owners.
std::string share_of(const Caller& caller);

// How often each address has asked. Addresses that keep within it are forgotten.
class RateLimit {
 public:
  RateLimit(double requests_per_s, double burst) : rate_(requests_per_s), burst_(burst) {}

  // Counts one request. Nothing when it may be answered, else after how many seconds.
  std::optional<double> refuse(const std::string& address, double now_s);

 private:
  struct Bucket {
    double tokens = 0;
    double at_s = 0;
  };
  void forget_full_ones(double now_s);

  double rate_;
  double burst_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

// What limits count together: an IPv4 address, also one that is written as IPv6; else the 64 bits
// of an IPv6 address that a customer has.
std::string rate_key(const std::string& address);

// Who sends it, or that their token is not known, where one is needed.
struct CallerOrError {
  Caller caller = {};
  std::optional<ServiceError> error = {};
};
CallerOrError check_token(const HttpRequest& request, const std::optional<TokenOwners>& tokens);

// Where a request comes from, as browsers say it. Programs say nothing, and are let pass: they
// could say anything.

// Whether a Host header, or an address to listen on, means this machine and nobody else's:
// localhost, 127.0.0.0/8, ::1 and ::ffff:127.0.0.0/104, with or without a port. Addresses are read
// as addresses: the name 127.example.org may lead anywhere.
bool is_loopback_host(const std::string& host);

// Whether a text is an origin as browsers write it: a scheme, a host and maybe a port, no more.
bool is_origin(const std::string& text);

// Of every request: refuses other names than this machine's, where only it is served (a page can
// let its own name point here), and changes that a page of another site asks for.
std::optional<ServiceError> check_origin(const HttpRequest& request, const AccessOptions& options);

// Of a request that begins work or holds a place, also one that only gets: refuses those that a
// page of another site makes, for instance by an image or a link, which carry no Origin.
std::optional<ServiceError> check_site(const HttpRequest& request, const AccessOptions& options);

}  // namespace poet
