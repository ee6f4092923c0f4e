#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "poet/base/result.h"
#include "poet/text/pattern.h"
#include "poet/text/unicode_text.h"

namespace poet {

// Two neighbours that become one token.
struct Merge {
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int32_t made = 0;

  bool operator==(const Merge&) const = default;
};

// A vocabulary of byte pair encoding over bytes.
struct BytePairs {
  // Bytes of every token that is made of bytes, and back.
  std::unordered_map<std::string, std::int32_t> tokens = {};
  std::vector<std::int32_t> of_byte = {};  // 256
  struct Rank {
    std::int32_t rank = 0;
    std::int32_t made = 0;
  };
  std::unordered_map<std::uint64_t, Rank> merges = {};
  bool takes_whole_words = false;  // a word that is a token is that token, whatever the merges say

  // Merges in their order; the last of two of the same pair counts.
  void add_merges(const std::vector<Merge>& list);

  // The tokens of a word: of all neighbours that can be merged, those of the lowest rank become
  // one, the first of equal ones, until none can. Takes n log n steps for n bytes.
  void encode(std::string_view word, std::vector<std::int32_t>& into) const;
};

// Divides text where a pattern matches: matches are words, and so is what lies between; or one of
// the two is left out.
struct PatternSplit {
  Pattern pattern;
  bool keeps_matches = true;
  bool keeps_rest = true;
};

// Begins each word with a blank that does not have one.
struct BlankBefore {};

using WordSplit = std::variant<PatternSplit, BlankBefore>;

// Divides UTF-8 text into words, by one split after the other, each of every word of the one
// before; calls `take` for each, in the order of the text, and stops at its first failure. None is
// empty.
using TakeWord = std::function<Failure(std::string_view)>;
Failure split_into_words(const std::vector<WordSplit>& splits, std::string_view text,
                         const TakeWord& take);

// A token that is found in the text itself, before it is divided into words.
struct AddedToken {
  std::string content = {};
  std::int32_t token = 0;
  bool only_as_word = false;  // not within other letters
  bool takes_space_before = false;
  bool takes_space_behind = false;
  bool in_normal_form = false;  // is looked for in the text after it was normalised
  bool is_special = false;      // stands for no text

  bool operator==(const AddedToken&) const = default;
};

// Finds added tokens in text: from left to right without overlap, and the longest where several
// begin at one place.
class AddedTokens {
 public:
  void add(AddedToken token);

  // Calls one of the two for every piece of the text in its order: text between tokens, which is
  // not empty, and tokens.
  using TakeText = std::function<Failure(std::string_view)>;
  using TakeToken = std::function<Failure(std::int32_t)>;
  Failure split(std::string_view text, const TakeText& take_text,
                const TakeToken& take_token) const;

 private:
  // The longest one that begins there, or null.
  const AddedToken* at(std::string_view text, std::size_t place) const;

  std::unordered_map<std::string, AddedToken> by_content_ = {};
  std::vector<std::size_t> lengths_ = {};     // of their contents, each once, descending
  std::array<bool, 256> is_first_byte_ = {};  // of one of them
};

// Text to tokens and back, by byte-level byte pair encoding: text is divided at added tokens,
// normalised, divided into words, and the bytes of each word are merged.
struct Tokenizer {
  AddedTokens as_written = {};  // looked for in the text as it is
  AddedTokens in_normal_form = {};
  std::vector<NormalForm> normal_forms = {};  // one after the other
  std::vector<WordSplit> splits = {};
  BytePairs pairs = {};
  std::vector<std::int32_t> before = {};  // tokens around every text
  std::vector<std::int32_t> behind = {};
  // What each token stands for, by its number: bytes; nothing where it is special or there is none.
  std::vector<std::string> texts = {};
  std::vector<AddedToken> added = {};
};

// Calls `take` for each token of the text, without those around it. Refuses what is not UTF-8, and
// text in which the tokenizer's patterns take too long.
using TakeTextToken = std::function<Failure(std::int32_t)>;
Failure encode(const Tokenizer& tokenizer, std::string_view text, const TakeTextToken& take);
Result<std::vector<std::int32_t>> encode(const Tokenizer& tokenizer, std::string_view text);

// The bytes that a token stands for; empty for what is no token.
std::string_view text_of(const Tokenizer& tokenizer, std::int32_t token);

// A token by its content, as vocabularies write it: that of an added one, or of bytes.
std::optional<std::int32_t> token_called(const Tokenizer& tokenizer, const std::string& content);

}  // namespace poet
