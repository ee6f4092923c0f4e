#include "poet/service/http_head.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace poet {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kNameSigns = "!#$%&'*+-.^_`|~";  // that are no letters or digits
constexpr std::size_t kMostDigits = 18;                     // fit in 63 bits
// Of which a second one could mean something else.
constexpr std::string_view kOnce[] = {"Content-Length", "Host",           "Authorization",
                                      "Origin",         "Sec-Fetch-Site", "Referer",
                                      "Content-Type",   "Last-Event-ID"};

bool is_of_a_name(char letter) {
  const bool plain = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                     (letter >= 'A' && letter <= 'Z');
  return plain || kNameSigns.find(letter) != std::string_view::npos;
}

bool is_control(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return (code < ' ' && letter != '\t') || code == 0x7F;
}

// Takes the first line off, without its end; every line of a head has one.
std::string_view next_line(std::string_view& head) {
  const std::size_t end = head.find(kLineEnd);
  const std::string_view line = head.substr(0, end);
  head.remove_prefix(end + kLineEnd.size());
  return line;
}

struct HeaderLine {
  std::string name = {};  // in small letters
  std::string_view value = {};
};

std::optional<HeaderLine> header_in(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view name = line.substr(0, colon);
  if (!std::all_of(name.begin(), name.end(), is_of_a_name)) return std::nullopt;
  if (std::any_of(line.begin(), line.end(), is_control)) return std::nullopt;
  std::string_view value = line.substr(colon + 1);
  const std::size_t begin = std::min(value.find_first_not_of(" \t"), value.size());
  value.remove_prefix(begin);
  value.remove_suffix(value.size() - std::min(value.find_last_not_of(" \t") + 1, value.size()));
  return HeaderLine{in_small_letters(name), value};
}

ServiceError bad(std::string message) {
  return {.message = std::move(message)};
}

ServiceError length_needed() {
  return {.status = 411, .code = "bad_request", .message = "a body needs a Content-Length"};
}

// Whether it is one of kOnce, and was there before.
std::optional<ServiceError> repeats(const std::string& name, std::set<std::string>& seen) {
  for (const std::string_view once : kOnce)
    if (in_small_letters(once) == name && !seen.insert(name).second)
      return bad("the request has more than one " + std::string(once));
  return std::nullopt;
}

// What a head says of its body, and whom it is for.
struct Lengths {
  std::optional<std::string_view> content_length = {};
  bool has_encoding = false;
  std::optional<std::string_view> host = {};
};

std::variant<std::int64_t, ServiceError> judge(const Lengths& lengths, std::string_view method) {
  if (lengths.has_encoding && lengths.content_length)
    return bad("the request has both a Content-Length and a Transfer-Encoding");
  if (lengths.has_encoding) return length_needed();
  if (!lengths.content_length) {
    if (method == "POST") return length_needed();
    return 0;
  }
  const std::string_view digits = *lengths.content_length;
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return bad("the Content-Length is not a number");
  if (digits.size() > kMostDigits)
    return ServiceError{.status = 413, .code = "too_large", .message = "the body is too large"};
  return std::stoll(std::string(digits));
}

}  // namespace

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& letter : small)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return small;
}

std::variant<std::int64_t, ServiceError> body_bytes_of(std::string_view head) {
  const std::string method = asked_for(head).method;
  const std::string_view first = next_line(head);
  if (method.empty() || std::any_of(first.begin(), first.end(), is_control))
    return bad("this is not an HTTP request that the service takes");
  Lengths lengths;
  std::set<std::string> seen;
  for (std::string_view line = next_line(head); !line.empty(); line = next_line(head)) {
    const std::optional<HeaderLine> header = header_in(line);
    if (!header) return bad("a line of the request's head is not a header");
    if (const auto error = repeats(header->name, seen)) return *error;
    if (header->name == "content-length") lengths.content_length = header->value;
    if (header->name == "host") lengths.host = header->value;
    lengths.has_encoding = lengths.has_encoding || header->name == "transfer-encoding";
  }
  const bool needs_host = !first.ends_with(" HTTP/1.0");
  if (lengths.host ? lengths.host->empty() : needs_host) return bad("the request has no Host");
  return judge(lengths, method);
}

AskedFor asked_for(std::string_view head) {
  const std::string_view line = head.substr(0, head.find(kLineEnd));
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos || first == 0) return {};
  const std::string_view target = line.substr(first + 1, second - first - 1);
  return {std::string(line.substr(0, first)), std::string(target.substr(0, target.find('?')))};
}

std::string served_head(std::string_view head) {
  std::string served;
  while (!head.empty()) {
    const std::string_view line = next_line(head);
    const std::string name = in_small_letters(line.substr(0, line.find(':')));
    if (name == "range" || name == "expect") continue;
    served += line;
    served += kLineEnd;
  }
  return served;
}

}  // namespace poet
