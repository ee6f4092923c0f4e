#include "poet/train/rank_conference.h"

#include <fmt/core.h>

#include <cstdint>
#include <span>

#include "poet/base/check.h"

namespace poet {
namespace {

// The first letter of what is sent says which it is.
constexpr char kWord = '+';
constexpr char kWrong = '-';
constexpr char kQuestion = '?';

void send(Ranks& ranks, int to, const std::string& text) {
  const auto size = static_cast<std::int64_t>(text.size());
  ranks.wait(ranks.start_send(to, std::as_bytes(std::span(&size, 1))));
  ranks.wait(ranks.start_send(to, std::as_bytes(std::span(text))));
}

std::string receive(Ranks& ranks, int from) {
  std::int64_t size = 0;
  ranks.wait(ranks.start_receive(from, std::as_writable_bytes(std::span(&size, 1))));
  POET_CHECK(size > 0);
  std::string text(static_cast<std::size_t>(size), '\0');
  ranks.wait(ranks.start_receive(from, std::as_writable_bytes(std::span(text))));
  return text;
}

std::string told(const Result<std::string>& said) {
  if (said.ok()) return kWord + *said;
  return fmt::format("{}{}{}", kWrong, static_cast<int>(said.error().code),
                     to_string(said.error()));
}

Result<std::string> understood(const std::string& text) {
  if (text[0] == kWord) return text.substr(1);
  POET_CHECK(text[0] == kWrong && text.size() >= 2);
  return Error{static_cast<ErrorCode>(text[1] - '0'), text.substr(2), {}};
}

Error of_rank(int rank, int count, Error error) {
  error.message = fmt::format("rank {} of {}: {}", rank, count, error.message);
  return error;
}

}  // namespace

Result<std::string> RankConference::heard(const Result<std::string>& own, const Answer& answer) {
  Failure wrong;
  if (!own.ok()) wrong = own.error();
  std::vector<std::string> words = {own.ok() ? *own : ""};
  for (int rank = 1; rank < ranks_.place().count; ++rank) {
    const Result<std::string> said = word_of(rank);
    words.push_back(said.ok() ? *said : "");
    if (!said.ok() && !wrong) wrong = of_rank(rank, ranks_.place().count, said.error());
  }
  words_.clear();
  if (wrong) return *wrong;
  return answer(words);
}

const Result<std::string>& RankConference::word_of(int rank) {
  const auto known = words_.find(rank);
  if (known != words_.end()) return known->second;
  return words_.emplace(rank, understood(receive(ranks_, rank))).first->second;
}

Result<std::string> RankConference::ask(int rank, const std::string& question) {
  POET_CHECK(is_first() && rank > 0 && !is_over_);
  const int count = ranks_.place().count;
  if (!word_of(rank).ok()) return of_rank(rank, count, word_of(rank).error());
  send(ranks_, rank, kQuestion + question);
  Result<std::string> reply = understood(receive(ranks_, rank));
  return reply.ok() ? reply : of_rank(rank, count, reply.error());
}

Result<std::string> RankConference::confer(const Result<std::string>& word, const Answer& answer) {
  POET_CHECK(!is_over_);
  if (!is_first()) {
    send(ranks_, 0, told(word));
    std::string text = receive(ranks_, 0);
    for (; text[0] == kQuestion; text = receive(ranks_, 0))
      send(ranks_, 0, told(reply_(text.substr(1))));
    Result<std::string> said = understood(text);
    is_over_ = !said.ok();
    return said;
  }
  Result<std::string> said = heard(word, answer);
  for (int rank = 1; rank < ranks_.place().count; ++rank) send(ranks_, rank, told(said));
  is_over_ = !said.ok();
  return said;
}

Error RankConference::leave(const Error& error) {
  if (is_over_) return error;
  const Answer none = [](const std::vector<std::string>&) { return std::string(); };
  return confer(error, none).error();
}

}  // namespace poet
