#include "poet/text/added_tokens.h"

#include <algorithm>
#include <utility>

#include "poet/base/check.h"
#include "poet/text/unicode_text.h"

namespace poet {

void AddedTokens::add(AddedToken token) {
  POET_CHECK(!token.content.empty());
  const std::size_t length = token.content.size();
  is_first_byte_[static_cast<unsigned char>(token.content.front())] = true;
  const auto place = std::lower_bound(lengths_.begin(), lengths_.end(), length, std::greater<>());
  if (place == lengths_.end() || *place != length) lengths_.insert(place, length);
  std::string content = token.content;
  by_content_.insert_or_assign(std::move(content), std::move(token));
}

const AddedToken* AddedTokens::at(std::string_view text, std::size_t place) const {
  if (!is_first_byte_[static_cast<unsigned char>(text[place])]) return nullptr;
  for (const std::size_t length : lengths_) {
    if (length > text.size() - place) continue;
    const auto found = by_content_.find(std::string(text.substr(place, length)));
    if (found != by_content_.end()) return &found->second;
  }
  return nullptr;
}

Failure AddedTokens::split(std::string_view text, const TakeText& take_text,
                           const TakeToken& take_token) const {
  std::size_t taken = 0;  // what is before was given away
  const auto give_text = [&](std::size_t end) -> Failure {
    if (end <= taken) return std::nullopt;
    return take_text(text.substr(taken, end - taken));
  };
  for (std::size_t place = 0; place < text.size();) {
    const AddedToken* const token = at(text, place);
    if (token == nullptr) {
      ++place;
      continue;
    }
    std::size_t begin = place;
    std::size_t end = place + token->content.size();
    place = end;
    const bool is_within_word =
        ends_with_word(text.substr(0, begin)) || begins_with_word(text.substr(end));
    if (token->only_as_word && is_within_word) continue;
    if (token->takes_space_before)
      begin = std::max(taken, begin - trailing_space_bytes(text.substr(0, begin)));
    if (token->takes_space_behind) end += leading_space_bytes(text.substr(end));
    if (Failure failure = give_text(begin)) return failure;
    if (Failure failure = take_token(token->token)) return failure;
    taken = std::max(taken, end);
  }
  return give_text(text.size());
}

}  // namespace poet
