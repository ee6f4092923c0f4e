#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "poet/base/result.h"

namespace poet {

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

}  // namespace poet
