#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/service/http_message.h"
#include "poet/service/service_error.h"

namespace poet {

struct AccessOptions {
  std::set<std::string> token_hashes = {};  // SHA-256 of each token; none: everybody may
  std::string cors_origin = {};             // whose pages may read answers; empty: only its own
  bool loopback_only = true;                // it listens on this machine only
  double requests_per_s = 100;              // of one address; 0: no limit
  double burst = 400;                       // that may come at once
};

// The hashes in a file of tokens: a line each, 64 hexadecimal digits and, after a blank, a name for
// people; '#' begins a comment.
Result<std::set<std::string>> parse_token_hashes(std::string_view text, const std::string& file);

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

// What a rate counts together: an IPv4 address; of IPv6 the 64 bits that a customer has.
std::string rate_key(const std::string& address);

// Whether its token is known, where one is needed.
std::optional<ServiceError> check_token(const HttpRequest& request, const AccessOptions& options);

}  // namespace poet
