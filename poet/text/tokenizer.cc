#include "poet/text/tokenizer.h"

#include <fmt/core.h>

#include <utility>

namespace poet {
namespace {

Failure encode_words(const Tokenizer& tokenizer, std::string_view text, const TakeTextToken& take) {
  std::vector<std::int32_t> tokens;
  return split_into_words(tokenizer.splits, text, [&](std::string_view word) -> Failure {
    tokens.clear();
    tokenizer.pairs.encode(word, tokens);
    for (const std::int32_t token : tokens)
      if (Failure failure = take(token)) return failure;
    return std::nullopt;
  });
}

Failure encode_normalised(const Tokenizer& tokenizer, std::string_view text,
                          const TakeTextToken& take) {
  return tokenizer.in_normal_form.split(
      text, [&](std::string_view between) { return encode_words(tokenizer, between, take); }, take);
}

Failure encode_between(const Tokenizer& tokenizer, std::string_view text,
                       const TakeTextToken& take) {
  if (tokenizer.normal_forms.empty()) return encode_normalised(tokenizer, text, take);
  std::string in_form(text);
  for (const NormalForm form : tokenizer.normal_forms) {
    Result<std::string> next = normalised(in_form, form);
    if (!next.ok()) return next.error();
    in_form = *std::move(next);
  }
  return encode_normalised(tokenizer, in_form, take);
}

}  // namespace

Failure encode(const Tokenizer& tokenizer, std::string_view text, const TakeTextToken& take) {
  if (const std::optional<std::size_t> place = first_not_utf8(text))
    return bad_input(fmt::format("text is UTF-8, and this is not at byte {}", *place));
  return tokenizer.as_written.split(
      text, [&](std::string_view between) { return encode_between(tokenizer, between, take); },
      take);
}

Result<std::vector<std::int32_t>> encode(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::int32_t> tokens;
  const Failure failure = encode(tokenizer, text, [&tokens](std::int32_t token) {
    tokens.push_back(token);
    return Failure();
  });
  if (failure) return *failure;
  return tokens;
}

std::string_view text_of(const Tokenizer& tokenizer, std::int32_t token) {
  if (token < 0 || token >= static_cast<std::int64_t>(tokenizer.texts.size())) return {};
  return tokenizer.texts[static_cast<std::size_t>(token)];
}

std::optional<std::int32_t> token_called(const Tokenizer& tokenizer, const std::string& content) {
  for (const AddedToken& added : tokenizer.added)
    if (added.content == content) return added.token;
  const auto found = tokenizer.pairs.tokens.find(content);
  if (found == tokenizer.pairs.tokens.end()) return std::nullopt;
  return found->second;
}

}  // namespace poet
