#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "poet/service/service_error.h"

namespace poet {

// The head of a request, from its first line to the empty one, looked at before any of it is given
// to httplib: where the request ends must have one meaning, and it must be known before a byte of
// its body is read.

constexpr std::string_view kHeadEnd = "\r\n\r\n";

// Of ASCII; names of headers and schemes mean the same in either case.
std::string in_small_letters(std::string_view text);

// How many bytes follow the head as its body. Refuses lines that are not of the form "Name: value",
// more than one Content-Length, Host or other header that can mean one thing only, no Host (which
// HTTP/1.0 may leave out), a Transfer-Encoding (411, and 400 beside a Content-Length), and a POST
// that does not say how long it is (411).
std::variant<std::int64_t, ServiceError> body_bytes_of(std::string_view head);

// The method and the path of its first line, as they came, without the query, and without scheme
// and host where the target is a whole address. Empty where there is none.
struct AskedFor {
  std::string method = {};
  std::string path = {};
};
AskedFor asked_for(std::string_view head);

// The head without Range, which POET does not serve, and Expect, which awaits_word() has. Where the
// target is a whole address, its host stands in place of what Host says, as RFC 9112, 3.2.2, has
// it.
std::string served_head(std::string_view head);

// Whether the client sends its body only when it is told to: Expect: 100-continue, of HTTP/1.1 (RFC
// 9110, 10.1.1).
bool awaits_word(std::string_view head);

}  // namespace poet
