#include "poet/service/access.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

#include "poet/base/sha256.h"
#include "poet/service/http_head.h"
#include "poet/service/request_fields.h"

namespace poet {
namespace {

constexpr std::size_t kMostBuckets = 10'000;
constexpr std::string_view kBearer = "bearer ";
constexpr std::size_t kMappedBytes = 12;      // of IPv6, before an IPv4 address in it
constexpr std::ptrdiff_t kCustomerBytes = 8;  // of IPv6, that a provider gives

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
  if (in_small_letters(given.substr(0, kBearer.size())) == kBearer) {
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
                   .message = given.empty() ? "a token is needed: Authorization: Bearer TOKEN"
                                            : "this token is not known"};
  return result;
}

}  // namespace poet
