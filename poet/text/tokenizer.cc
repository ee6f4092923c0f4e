#include "poet/text/tokenizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "poet/base/check.h"
#include "poet/text/unicode_text.h"

namespace poet {
namespace {

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(right);
}

// Of a word while it is merged: tokens in a list, at the places of their first bytes.
struct Link {
  std::int32_t token = 0;
  std::optional<std::size_t> before = {};
  std::optional<std::size_t> after = {};
  bool is_gone = false;
};

// A merge that could be done when it was found; it counts if both neighbours are still there.
struct Chance {
  std::int32_t rank = 0;
  std::size_t place = 0;
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int32_t made = 0;

  bool operator>(const Chance& other) const {
    return std::tie(rank, place) > std::tie(other.rank, other.place);
  }
};

class Merging {
 public:
  Merging(const BytePairs& pairs, std::string_view word) : pairs_(pairs), links_(word.size()) {
    for (std::size_t i = 0; i < word.size(); ++i) {
      links_[i].token = pairs.of_byte[static_cast<unsigned char>(word[i])];
      if (i > 0) links_[i].before = i - 1;
      if (i + 1 < word.size()) links_[i].after = i + 1;
    }
    for (std::size_t i = 0; i < word.size(); ++i) look_at(i);
  }

  void run() {
    while (!chances_.empty()) {
      const Chance chance = chances_.top();
      chances_.pop();
      Link& left = links_[chance.place];
      if (left.is_gone || left.token != chance.left || !left.after ||
          links_[*left.after].token != chance.right)
        continue;
      merge(left, chance.made);
      if (left.before) look_at(*left.before);
      look_at(chance.place);
    }
  }

  void write(std::vector<std::int32_t>& into) const {
    if (links_.empty()) return;
    // The first is never merged into another.
    for (std::optional<std::size_t> i = 0; i; i = links_[*i].after)
      into.push_back(links_[*i].token);
  }

 private:
  void merge(Link& left, std::int32_t made) {
    Link& right = links_[*left.after];
    right.is_gone = true;
    if (right.after) links_[*right.after].before = right.before;
    left.after = right.after;
    left.token = made;
  }

  void look_at(std::size_t place) {
    const Link& left = links_[place];
    if (!left.after) return;
    const std::int32_t right = links_[*left.after].token;
    const auto merge = pairs_.merges.find(pair_of(left.token, right));
    if (merge == pairs_.merges.end()) return;
    chances_.push({merge->second.rank, place, left.token, right, merge->second.made});
  }

  const BytePairs& pairs_;
  std::vector<Link> links_;
  std::priority_queue<Chance, std::vector<Chance>, std::greater<>> chances_;
};

Failure split_by(std::span<const WordSplit> splits, std::string_view text, const TakeWord& take);

Failure split_by_pattern(const PatternSplit& split, std::span<const WordSplit> rest,
                         std::string_view text, const TakeWord& take) {
  std::size_t taken = 0;
  const auto give = [&](bool keeps, std::size_t begin, std::size_t end) -> Failure {
    if (!keeps || begin == end) return std::nullopt;
    return split_by(rest, text.substr(begin, end - begin), take);
  };
  const Failure failure =
      split.pattern.for_each_match(text, [&](std::size_t begin, std::size_t end) -> Failure {
        if (Failure refused = give(split.keeps_rest, taken, begin)) return refused;
        taken = end;
        return give(split.keeps_matches, begin, end);
      });
  if (failure) return failure;
  return give(split.keeps_rest, taken, text.size());
}

Failure split_by(std::span<const WordSplit> splits, std::string_view text, const TakeWord& take) {
  if (text.empty()) return std::nullopt;
  if (splits.empty()) return take(text);
  const std::span<const WordSplit> rest = splits.subspan(1);
  if (const auto* const pattern = std::get_if<PatternSplit>(&splits.front()))
    return split_by_pattern(*pattern, rest, text, take);
  if (text.front() == ' ') return split_by(rest, text, take);
  return split_by(rest, " " + std::string(text), take);
}

}  // namespace

void BytePairs::add_merges(const std::vector<Merge>& list) {
  merges.reserve(list.size());
  for (std::size_t k = 0; k < list.size(); ++k)
    merges.insert_or_assign(pair_of(list[k].left, list[k].right),
                            Rank{static_cast<std::int32_t>(k), list[k].made});
}

void BytePairs::encode(std::string_view word, std::vector<std::int32_t>& into) const {
  if (takes_whole_words)
    if (const auto token = tokens.find(std::string(word)); token != tokens.end()) {
      into.push_back(token->second);
      return;
    }
  Merging merging(*this, word);
  merging.run();
  merging.write(into);
}

Failure split_into_words(const std::vector<WordSplit>& splits, std::string_view text,
                         const TakeWord& take) {
  return split_by(splits, text, take);
}

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
