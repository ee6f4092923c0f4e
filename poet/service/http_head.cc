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

namespace {

// The target of a first line: "/v1/plans", or a whole address.
struct Target {
  std::size_t begin = 0;  // in the line
  std::size_t end = 0;
  std::string_view host = {};  // of a whole address
  std::string_view path = {};  // and query
};

std::optional<Target> target_of(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos || first == 0) return std::nullopt;
  Target target{.begin = first + 1, .end = second};
  target.path = line.substr(target.begin, target.end - target.begin);
  constexpr std::string_view kScheme = "http://";
  if (in_small_letters(target.path.substr(0, kScheme.size())) != kScheme) return target;
  const std::string_view rest = target.path.substr(kScheme.size());
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  target.host = rest.substr(0, end);
  target.path = rest.substr(end);
  return target;
}

// A whole address may end behind its host.
std::string path_of(const Target& target) {
  const bool begins = !target.host.empty() && !target.path.starts_with('/');
  return (begins ? "/" : "") + std::string(target.path);
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
  const std::optional<Target> target = target_of(line);
  if (!target) return {};
  const std::string path = path_of(*target);
  return {std::string(line.substr(0, target->begin - 1)), path.substr(0, path.find('?'))};
}

std::string served_head(std::string_view head) {
  const std::string_view first = next_line(head);
  const std::optional<Target> target = target_of(first);
  const std::string_view host = target ? target->host : std::string_view();
  std::string served(first);
  if (!host.empty()) {
    served.replace(target->begin, target->end - target->begin, path_of(*target));
    served += std::string(kLineEnd) + "Host: " + std::string(host);
  }
  served += kLineEnd;
  while (!head.empty()) {
    const std::string_view line = next_line(head);
    const std::string name = in_small_letters(line.substr(0, line.find(':')));
    if (name == "range" || name == "expect" || (name == "host" && !host.empty())) continue;
    served += line;
    served += kLineEnd;
  }
  return served;
}

bool awaits_word(std::string_view head) {
  if (!next_line(head).ends_with(" HTTP/1.1")) return false;
  for (std::string_view line = next_line(head); !line.empty(); line = next_line(head)) {
    const std::optional<HeaderLine> header = header_in(line);
    if (header && header->name == "expect")
      return in_small_letters(header->value) == "100-continue";
  }
  return false;
}

}  // namespace poet
