#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/data/kept_file.h"
#include "poet/data/stored_numbers.h"

namespace poet {

// How texts become sequences of one length.
enum class SequenceForm {
  Packed,  // one after the other, and cut wherever a sequence is full
  Padded,  // each begins a sequence, and what it leaves of its last one is filled up
};

inline constexpr Named<SequenceForm> kSequenceForms[] = {{"packed", SequenceForm::Packed},
                                                         {"padded", SequenceForm::Padded}};

enum class TextForm {
  Plain,  // a file is a text
  Jsonl,  // a line is an object with "text", or with "prompt" and "answer"
};

struct TextOptions {
  std::string tokenizer = {};  // the path of a tokenizer.json, or of the folder that has it
  std::string end_token = {};  // empty: what the tokenizer says
  SequenceForm form = SequenceForm::Packed;
  KeptPlace place = {};
};

// Tokens of texts in a file (docs/formats/text.md), 32 bits each: a token's number; -1 - number
// of one that is not to be learnt; kNoToken where a sequence is filled up. Of padded sequences of
// length L, L + 1 belong together.
struct TextTokens {
  NumberRun values = {};
  std::int64_t count = 0;
};
inline constexpr std::int64_t kNoToken = std::numeric_limits<std::int32_t>::min();

// The tokens of all texts of these files in their order, each with those that the tokenizer puts
// around it and the one that ends it. Of a prompt and its answer those of the answer are learnt,
// and its end. Kept, so that they are made once for the same texts, tokenizer and options: a digest
// of these names the file. Padded sequences in which nothing is to be learnt are left out.
//
// Refuses what is not UTF-8, lines that are no such objects, tokenizers that cannot be read, and
// files that cannot be written.
Result<TextTokens> text_tokens(const std::vector<std::string>& paths, TextForm form,
                               const TextOptions& options, std::int64_t length);

}  // namespace poet
