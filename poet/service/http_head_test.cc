#include "poet/service/http_head.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

// "411 a body needs ...", or how many bytes.
std::string judged(const std::string& head) {
  const std::variant<std::int64_t, ServiceError> result = body_bytes_of(head);
  if (const auto* const error = std::get_if<ServiceError>(&result))
    return std::to_string(error->status) + " " + error->message;
  return std::to_string(std::get<std::int64_t>(result));
}

std::string post(const std::string& headers) {
  return "POST /v1/models?name=x HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
}

TEST(RequestHeads, SayHowLongTheBodyIs) {
  EXPECT_EQ(judged("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "0");
  EXPECT_EQ(judged("DELETE /x HTTP/1.1\r\nHost: x\r\n\r\n"), "0");
  EXPECT_EQ(judged(post("Content-Length: 12\r\n")), "12");
  EXPECT_EQ(judged(post("cOnTeNt-LeNgTh:  12 \t\r\n")), "12");
  EXPECT_EQ(judged(post("Content-Length: 0\r\n")), "0");
  EXPECT_EQ(judged(post("X-Name: \xC3\xA9\r\nContent-Length: 1\r\n")), "1");
}

TEST(RequestHeads, AreRefusedWithoutALength) {
  EXPECT_EQ(judged(post("")), "411 a body needs a Content-Length");
  for (const char* const method : {"POST", "DELETE", "GET"})
    EXPECT_EQ(judged(method +
                     std::string(" / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")),
              "411 a body needs a Content-Length");
}

TEST(RequestHeads, AreRefusedWithTwoMeanings) {
  EXPECT_EQ(judged(post("Content-Length: 5\r\nContent-Length: 6\r\n")),
            "400 the request has more than one Content-Length");
  EXPECT_EQ(judged(post("Content-Length: 5\r\ncontent-length: 5\r\n")),
            "400 the request has more than one Content-Length");
  EXPECT_EQ(judged(post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")),
            "400 the request has both a Content-Length and a Transfer-Encoding");
  EXPECT_EQ(judged(post("Content-Length: 5\r\nHost: evil.example\r\n")),
            "400 the request has more than one Host");
  EXPECT_EQ(judged(post("Origin: http://a\r\nContent-Length: 5\r\norigin: http://b\r\n")),
            "400 the request has more than one Origin");
  for (const char* const length : {"", "-5", "+5", "5, 5", "0x5", "5 5", "1e3"})
    EXPECT_EQ(judged(post("Content-Length: " + std::string(length) + "\r\n")),
              "400 the Content-Length is not a number")
        << length;
  EXPECT_EQ(judged(post("Content-Length: 18446744073709551621\r\n")), "413 the body is too large");
}

TEST(RequestHeads, SayWhomTheyAreFor) {
  for (const char* const host : {"", "Host:\r\n", "Host: \t \r\n"})
    EXPECT_EQ(judged("GET / HTTP/1.1\r\n" + std::string(host) + "\r\n"),
              "400 the request has no Host")
        << host;
  EXPECT_EQ(judged("GET / HTTP/1.0\r\n\r\n"), "0");
  EXPECT_EQ(judged("GET / HTTP/1.0\r\nHost:\r\n\r\n"), "400 the request has no Host");
}

// What one reader takes for a header and another does not.
TEST(RequestHeads, AreRefusedWithLinesThatAreNoHeaders) {
  for (const char* const line :
       {"Content-Length : 5", " Content-Length: 5", "\tfolded", ": no name", "no colon",
        "Content\x01Length: 5", "A: b\nContent-Length: 5", "A: b\rContent-Length: 5", "A: \x7F"})
    EXPECT_EQ(judged(post(std::string(line) + "\r\n")),
              "400 a line of the request's head is not a header")
        << line;
  EXPECT_EQ(judged(post(std::string("A: \0b", 5) + "\r\n")),
            "400 a line of the request's head is not a header");
  for (const char* const line : {"", "GET", "GET /", " / HTTP/1.1", "GET /\x01 HTTP/1.1"})
    EXPECT_EQ(judged(std::string(line) + "\r\n\r\n"),
              "400 this is not an HTTP request that the service takes")
        << line;
}

TEST(RequestHeads, TellWhatIsAskedFor) {
  EXPECT_EQ(asked_for("GET /healthz?x=1 HTTP/1.1\r\n\r\n").path, "/healthz");
  EXPECT_EQ(asked_for("HEAD /healthz HTTP/1.1\r\n\r\n").method, "HEAD");
  EXPECT_EQ(asked_for("GET\r\n\r\n").method, "");
  EXPECT_EQ(asked_for("GET HTTP://127.0.0.1:8321/healthz?x=1 HTTP/1.1\r\n\r\n").path, "/healthz");
  EXPECT_EQ(asked_for("GET http://127.0.0.1:8321 HTTP/1.1\r\n\r\n").path, "/");
}

// By which it is judged whom the request is for.
TEST(RequestHeads, HaveTheHostOfAWholeAddress) {
  EXPECT_EQ(served_head("GET http://one:1/a?b=c HTTP/1.1\r\nHost: other\r\nX: y\r\n\r\n"),
            "GET /a?b=c HTTP/1.1\r\nHost: one:1\r\nX: y\r\n\r\n");
  EXPECT_EQ(served_head("GET http://one?b=c HTTP/1.0\r\n\r\n"),
            "GET /?b=c HTTP/1.0\r\nHost: one\r\n\r\n");
  // None is no address, and not served.
  EXPECT_EQ(served_head("GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n"),
            "GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n");
}

TEST(RequestHeads, SayWhetherTheClientAwaitsAWord) {
  EXPECT_TRUE(awaits_word("POST / HTTP/1.1\r\nHost: x\r\nEXPECT: 100-Continue\r\n\r\n"));
  EXPECT_FALSE(awaits_word("POST / HTTP/1.0\r\nHost: x\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_FALSE(awaits_word("POST / HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n"));
  EXPECT_FALSE(awaits_word("POST / HTTP/1.1\r\nHost: x\r\n\r\n"));
}

TEST(RequestHeads, AreServedWithoutRanges) {
  EXPECT_EQ(served_head("GET / HTTP/1.1\r\nRANGE: bytes=0-1\r\nRanger: x\r\nExpect:y\r\n\r\n"),
            "GET / HTTP/1.1\r\nRanger: x\r\n\r\n");
}

}  // namespace
}  // namespace poet
