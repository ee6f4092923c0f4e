#pragma once

#include <string>
#include <utility>
#include <vector>

#include "poet/base/json_out.h"
#include "poet/text/byte_alphabet.h"

// A tokenizer.json of tests.

namespace poet {

// Bytes as byte-level vocabularies write them.
inline std::string letters_of(const std::string& bytes) {
  std::string letters;
  for (const char byte : bytes) letters += letter_of_byte(static_cast<unsigned char>(byte));
  return letters;
}

// All bytes in their order, then what each merge makes, then `added` special tokens.
inline JsonOut tokenizer_json(const std::vector<std::pair<std::string, std::string>>& merges,
                              const std::vector<std::string>& added) {
  JsonOut vocabulary = JsonOut::object();
  JsonOut list = JsonOut::array();
  int next = 0;
  for (int byte = 0; byte < 256; ++byte)
    vocabulary[letter_of_byte(static_cast<unsigned char>(byte))] = next++;
  for (const auto& [left, right] : merges) {
    vocabulary[letters_of(left + right)] = next++;
    list.push_back(letters_of(left) + " " + letters_of(right));
  }
  JsonOut tokens = JsonOut::array();
  for (const std::string& content : added)
    tokens.push_back({{"id", next++}, {"content", content}, {"special", true}});
  return {{"added_tokens", tokens},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
          {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", list}}}};
}

}  // namespace poet
