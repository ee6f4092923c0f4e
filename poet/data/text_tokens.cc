#include "poet/data/text_tokens.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "poet/base/atomic_file.h"
#include "poet/base/json.h"
#include "poet/base/message_text.h"
#include "poet/base/sha256.h"
#include "poet/base/text_file.h"
#include "poet/text/tokenizer_file.h"
#include "poet/text/unicode_text.h"

namespace poet {
namespace {

// Counted up whenever other tokens are made of the same texts.
constexpr int kGeneration = 1;
constexpr const char* kEnding = ".tokens";
constexpr std::int64_t kTokenBytes = sizeof(std::int32_t);
// A text is divided as a whole.
constexpr std::int64_t kLargestTextBytes = std::int64_t{1} << 30;
constexpr std::size_t kBufferedTokens = 16'384;

std::int32_t not_learnt(std::int32_t token) {
  return -1 - token;
}

Error within(const std::string& path, const std::string& where, Error error) {
  error.message = fmt::format("{}{}: {}", quoted_path(path), where, error.message);
  return error;
}

// --- The texts of a file

struct WrittenText {
  std::string prompt = {};  // is not learnt
  std::string text = {};
  bool has_prompt = false;
};
using TakeText = std::function<Failure(const WrittenText&)>;

const std::string* text_in(const JsonValue& line, std::string_view key) {
  const auto* const members = std::get_if<JsonMembers>(&line.data);
  if (members == nullptr) return nullptr;
  for (const JsonMember& member : *members)
    if (member.key == key) return std::get_if<std::string>(&member.value.data);
  return nullptr;
}

Result<WrittenText> text_of_line(std::string_view line, const std::string& path) {
  const Result<JsonValue> json = parse_json(line, path);
  if (!json.ok()) return json.error();
  const std::string* const text = text_in(*json, "text");
  const std::string* const prompt = text_in(*json, "prompt");
  const std::string* const answer = text_in(*json, "answer");
  const bool is_pair = prompt != nullptr && answer != nullptr;
  if ((text != nullptr) == is_pair)
    return bad_input(R"(a line is {"text": "..."} or {"prompt": "...", "answer": "..."})");
  if (is_pair) return WrittenText{*prompt, *answer, true};
  return WrittenText{"", *text, false};
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

Failure take_line(std::string_view line, const std::string& path, std::int64_t number,
                  const TakeText& take) {
  if (is_blank(line)) return std::nullopt;
  Result<WrittenText> text = text_of_line(line, path);
  if (!text.ok()) {
    Error error = text.error();
    error.where = {path, static_cast<int>(number), error.where.column};
    return error;
  }
  Failure failure = take(*text);
  if (failure) failure->where = {path, static_cast<int>(number), 0};
  return failure;
}

Failure for_each_line(const std::string& path, const TakeText& take) {
  std::string line;
  std::int64_t number = 0;
  const Failure failure = read_file_in_pieces(path, [&](std::string_view piece) -> Failure {
    for (std::size_t end = piece.find('\n'); end != std::string_view::npos;
         end = piece.find('\n')) {
      line += piece.substr(0, end);
      piece.remove_prefix(end + 1);
      if (Failure refused = take_line(line, path, ++number, take)) return refused;
      line.clear();
    }
    line += piece;
    if (static_cast<std::int64_t>(line.size()) > kLargestTextBytes)
      return bad_input(fmt::format("{} has a line of more than {}", quoted_path(path),
                                   bytes_text(kLargestTextBytes)));
    return std::nullopt;
  });
  if (failure) return failure;
  return take_line(line, path, number + 1, take);
}

Failure for_each_text(const std::string& path, TextForm form, const TakeText& take) {
  if (form == TextForm::Jsonl) return for_each_line(path, take);
  if (Failure failure = require_regular_file(path)) return *failure;
  Result<std::string> text = read_text_file(path, kLargestTextBytes);
  if (!text.ok()) return text.error();
  Failure failure = take({.text = *std::move(text)});
  if (failure) return within(path, "", *std::move(failure));
  return std::nullopt;
}

// --- Their tokens

class TokenWriter {
 public:
  explicit TokenWriter(FileWriter& writer) : writer_(writer) { buffer_.reserve(kBufferedTokens); }

  Failure add(std::int32_t token) {
    buffer_.push_back(token);
    return buffer_.size() < kBufferedTokens ? std::nullopt : flush();
  }

  // Gives away what was gathered.
  Failure flush() {
    const Failure failure = writer_.append(std::as_bytes(std::span(buffer_)));
    buffer_.clear();
    return failure;
  }

 private:
  FileWriter& writer_;
  std::vector<std::int32_t> buffer_ = {};
};

class TextWriter {
 public:
  TextWriter(const Tokenizer& tokenizer, std::int32_t end, SequenceForm form, std::int64_t length,
             FileWriter& writer)
      : tokenizer_(tokenizer), end_(end), form_(form), length_(length), tokens_(writer) {}

  Failure add(const WrittenText& text) {
    row_.clear();
    for (const std::int32_t token : tokenizer_.before)
      if (Failure failure = take(text.has_prompt ? not_learnt(token) : token)) return failure;
    if (Failure failure = encode(tokenizer_, text.prompt,
                                 [this](std::int32_t token) { return take(not_learnt(token)); }))
      return failure;
    if (Failure failure =
            encode(tokenizer_, text.text, [this](std::int32_t token) { return take(token); }))
      return failure;
    for (const std::int32_t token : tokenizer_.behind)
      if (Failure failure = take(token)) return failure;
    if (tokenizer_.behind.empty() || tokenizer_.behind.back() != end_)
      if (Failure failure = take(end_)) return failure;
    return form_ == SequenceForm::Padded ? write_rows() : std::nullopt;
  }

  Failure finish() { return tokens_.flush(); }

 private:
  Failure take(std::int32_t token) {
    if (form_ == SequenceForm::Packed) return tokens_.add(token);
    row_.push_back(token);
    return std::nullopt;
  }

  // Sequences of `length_` tokens and the one that comes next, each with the last of the one
  // before.
  Failure write_rows() {
    const auto length = static_cast<std::size_t>(length_);
    for (std::size_t begin = 0; begin + 1 < row_.size(); begin += length) {
      const std::size_t end = std::min(begin + length + 1, row_.size());
      const auto is_learnt = [](std::int32_t token) { return token >= 0; };
      const auto first = row_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = row_.begin() + static_cast<std::ptrdiff_t>(end);
      if (std::none_of(first + 1, last, is_learnt)) continue;
      for (std::size_t i = begin; i < begin + length + 1; ++i)
        if (Failure failure = tokens_.add(i < end ? row_[i] : static_cast<std::int32_t>(kNoToken)))
          return failure;
    }
    return std::nullopt;
  }

  const Tokenizer& tokenizer_;
  std::int32_t end_;
  SequenceForm form_;
  std::int64_t length_;
  TokenWriter tokens_;
  std::vector<std::int32_t> row_ = {};  // of a text, where it is padded
};

Failure write_tokens(const std::vector<std::string>& paths, TextForm form,
                     const TextOptions& options, std::int64_t length, FileWriter& file) {
  const Result<Tokenizer> tokenizer = load_tokenizer(options.tokenizer);
  if (!tokenizer.ok()) return tokenizer.error();
  const Result<std::int32_t> end = end_token(*tokenizer, options.tokenizer, options.end_token);
  if (!end.ok()) return end.error();
  TextWriter writer(*tokenizer, *end, options.form, length, file);
  for (const std::string& from : paths)
    if (Failure failure = for_each_text(
            from, form, [&writer](const WrittenText& text) { return writer.add(text); }))
      return failure;
  return writer.finish();
}

// --- What they are kept by

Failure add_file(Sha256& hash, const std::string& path) {
  if (Failure failure = require_regular_file(path)) return failure;
  Sha256 of_file;
  if (Failure failure = read_file_in_pieces(path, [&of_file](std::string_view piece) {
        of_file.add(piece);
        return Failure();
      }))
    return failure;
  hash.add(of_file.digest() + "\n");
  return std::nullopt;
}

// What decides the tokens.
Result<std::string> digest_of(const std::vector<std::string>& paths, TextForm form,
                              const TextOptions& options, std::int64_t length) {
  Sha256 hash;
  hash.add(fmt::format("poet tokens {} {} {} {} {}\n{}\n", kGeneration, static_cast<int>(form),
                       name_of(kSequenceForms, options.form),
                       options.form == SequenceForm::Padded ? length : 0, paths.size(),
                       options.end_token));
  if (Failure failure = add_file(hash, options.tokenizer)) return *failure;
  const std::string config = config_beside(options.tokenizer);
  std::error_code ignored;
  if (std::filesystem::exists(config, ignored))
    if (Failure failure = add_file(hash, config)) return *failure;
  for (const std::string& path : paths)
    if (Failure failure = add_file(hash, path)) return *failure;
  return hash.digest();
}

}  // namespace

Result<TextTokens> text_tokens(const std::vector<std::string>& paths, TextForm form,
                               const TextOptions& asked, std::int64_t length) {
  if (asked.tokenizer.empty())
    return bad_input("text needs the tokenizer of the network: give --tokenizer FILE");
  TextOptions options = asked;
  options.tokenizer = tokenizer_path(asked.tokenizer);
  const Result<std::string> digest = digest_of(paths, form, options, length);
  if (!digest.ok()) return digest.error();
  const Result<KeptFile> file = kept_file(options.place, *digest, kEnding, [&](FileWriter& writer) {
    return write_tokens(paths, form, options, length, writer);
  });
  if (!file.ok()) return file.error();
  return TextTokens{.values = {.file = file->file, .number = StoredNumber::Int32},
                    .count = file->size_bytes / kTokenBytes};
}

}  // namespace poet
