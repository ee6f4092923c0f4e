#include "poet/text/tokenizer_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "poet/base/json_reader.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/text/byte_alphabet.h"

namespace poet {
namespace {

// Vocabularies have some hundred thousand; numbers beyond this are a mistake or mean harm.
constexpr WholeRange kTokens{0, (1 << 21) - 1};
constexpr int kBytes = 256;

// How GPT-2 divides text, and every byte-level pre-tokenizer that does not say otherwise.
constexpr std::string_view kWords =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

bool is_null(const JsonValue& value) {
  return std::holds_alternative<std::nullptr_t>(value.data);
}

// What a file has under a key; null where it has nothing. Files have more than is looked at.
const JsonValue* find(const JsonValue& object, std::string_view key) {
  const auto* const members = std::get_if<JsonMembers>(&object.data);
  if (members == nullptr) return nullptr;
  for (const JsonMember& member : *members)
    if (member.key == key) return is_null(member.value) ? nullptr : &member.value;
  return nullptr;
}

class FileReader {
 public:
  explicit FileReader(const std::string& file) : reader_(file) {}

  Result<Tokenizer> read(const JsonValue& file) {
    if (const JsonValue* const model = find(file, "model"))
      read_model(*model);
    else
      refuse(file, "a tokenizer has a \"model\"");
    read_added(file);
    if (const JsonValue* const normaliser = find(file, "normalizer")) read_normaliser(*normaliser);
    const JsonValue* const splits = find(file, "pre_tokenizer");
    if (splits != nullptr) read_splits(*splits);
    if (!has_byte_level_)
      refuse(splits != nullptr ? *splits : file,
             "the tokenizer is not byte-level: its pre-tokenizer has no \"ByteLevel\"");
    if (const JsonValue* const after = find(file, "post_processor")) read_post_processor(*after);
    file_added_tokens();
    if (reader_.failure()) return *reader_.failure();
    return std::move(tokenizer_);
  }

 private:
  void refuse(const JsonValue& value, std::string message) {
    reader_.refuse(value, std::move(message));
  }

  std::string type_of(const JsonValue& value) {
    const JsonValue* const type = find(value, "type");
    return type == nullptr ? "" : reader_.text(*type, "type");
  }

  bool flag(const JsonValue& object, std::string_view key, bool otherwise) {
    const JsonValue* const value = find(object, key);
    return value == nullptr ? otherwise : reader_.flag(*value, key);
  }

  std::string text(const JsonValue& object, std::string_view key) {
    const JsonValue* const value = find(object, key);
    return value == nullptr ? "" : reader_.text(*value, key);
  }

  void set_text(std::int32_t token, std::string text) {
    const auto place = static_cast<std::size_t>(token);
    if (tokenizer_.texts.size() <= place) tokenizer_.texts.resize(place + 1);
    tokenizer_.texts[place] = std::move(text);
  }

  // --- The model

  void read_model(const JsonValue& model) {
    const std::string type = type_of(model);
    if (!type.empty() && type != "BPE")
      return refuse(model, fmt::format("the tokenizer's model is {}: only \"BPE\" is known",
                                       in_quotes(type)));
    for (const std::string_view key : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (!text(model, key).empty())
        refuse(*find(model, key), fmt::format("\"{}\" is not known", key));
    if (flag(model, "byte_fallback", false))
      refuse(model, "a tokenizer with \"byte_fallback\" is not byte-level");
    if (const JsonValue* const dropout = find(model, "dropout"))
      if (reader_.number(*dropout, "dropout", NumberRange::NotNegative) != 0)
        refuse(*dropout, "merges that are dropped out at random are not known");
    tokenizer_.pairs.takes_whole_words = flag(model, "ignore_merges", false);
    read_vocabulary(model);
    read_merges(model);
  }

  void read_vocabulary(const JsonValue& model) {
    const JsonValue* const vocabulary = find(model, "vocab");
    const auto* const members =
        vocabulary == nullptr ? nullptr : std::get_if<JsonMembers>(&vocabulary->data);
    if (members == nullptr) return refuse(model, "\"vocab\" of the model is an object of tokens");
    letters_.reserve(members->size());
    std::vector<bool> taken;
    for (const JsonMember& member : *members) {
      const auto token =
          static_cast<std::int32_t>(reader_.whole(member.value, "number of a token", kTokens));
      if (reader_.failure()) return;
      const auto place = static_cast<std::size_t>(token);
      taken.resize(std::max(taken.size(), place + 1));
      if (taken[place])
        return refuse(member.value, fmt::format("the number {} stands for two tokens", token));
      taken[place] = true;
      letters_.emplace(member.key, token);
      std::optional<std::string> bytes = bytes_of_letters(member.key);
      set_text(token, bytes ? *bytes : member.key);
      if (bytes) tokenizer_.pairs.tokens.emplace(*std::move(bytes), token);
    }
    for (int byte = 0; byte < kBytes; ++byte) {
      const auto found = letters_.find(letter_of_byte(static_cast<unsigned char>(byte)));
      if (found == letters_.end())
        return refuse(
            *vocabulary,
            fmt::format("the tokenizer is not byte-level: its vocabulary has no {}, "
                        "which stands for the byte {}",
                        in_quotes(letter_of_byte(static_cast<unsigned char>(byte))), byte));
      tokenizer_.pairs.of_byte.push_back(found->second);
    }
  }

  std::optional<std::int32_t> token_of(const JsonValue& at, const std::string& letters) {
    const auto found = letters_.find(letters);
    if (found != letters_.end()) return found->second;
    refuse(at, fmt::format("a merge has {}, which is not in the vocabulary", in_quotes(letters)));
    return std::nullopt;
  }

  // "a b", or since 2024 ["a", "b"].
  std::pair<std::string, std::string> sides_of(const JsonValue& merge) {
    if (const auto* const joined = std::get_if<std::string>(&merge.data)) {
      const std::size_t blank = joined->find(' ');
      if (blank != std::string::npos && joined->find(' ', blank + 1) == std::string::npos)
        return {joined->substr(0, blank), joined->substr(blank + 1)};
    } else if (const auto* const list = std::get_if<JsonList>(&merge.data);
               list != nullptr && list->size() == 2) {
      return {reader_.text(list->front(), "a side of a merge"),
              reader_.text(list->back(), "a side of a merge")};
    }
    refuse(merge, "a merge is two tokens, \"a b\" or [\"a\", \"b\"]");
    return {};
  }

  void read_merges(const JsonValue& model) {
    const JsonValue* const list = find(model, "merges");
    if (list == nullptr) return refuse(model, "the model has no \"merges\"");
    std::vector<Merge> merges;
    for (const JsonValue& one : reader_.list(*list, "merges")) {
      if (reader_.failure()) return;
      const auto [left, right] = sides_of(one);
      if (reader_.failure()) return;
      const std::optional<std::int32_t> first = token_of(one, left);
      const std::optional<std::int32_t> second = token_of(one, right);
      const std::optional<std::int32_t> made = token_of(one, left + right);
      if (first && second && made) merges.push_back({*first, *second, *made});
    }
    tokenizer_.pairs.add_merges(merges);
  }

  // --- Added tokens

  void read_added(const JsonValue& file) {
    const JsonValue* const list = find(file, "added_tokens");
    if (list == nullptr) return;
    std::set<std::int32_t> seen;
    for (const JsonValue& one : reader_.list(*list, "added_tokens")) {
      const JsonValue* const id = find(one, "id");
      if (id == nullptr) return refuse(one, "an added token has an \"id\"");
      const bool is_special = flag(one, "special", false);
      const AddedToken token{.content = text(one, "content"),
                             .token = static_cast<std::int32_t>(reader_.whole(*id, "id", kTokens)),
                             .only_as_word = flag(one, "single_word", false),
                             .takes_space_before = flag(one, "lstrip", false),
                             .takes_space_behind = flag(one, "rstrip", false),
                             .in_normal_form = flag(one, "normalized", !is_special),
                             .is_special = is_special};
      if (reader_.failure()) return;
      if (token.content.empty()) return refuse(one, "an added token has a \"content\"");
      if (!seen.insert(token.token).second)
        return refuse(one, fmt::format("two added tokens have the \"id\" {}", token.token));
      set_text(token.token, token.is_special ? "" : token.content);
      tokenizer_.added.push_back(token);
    }
  }

  // Where both lists of tokens and how text is normalised are known.
  void file_added_tokens() {
    for (const AddedToken& added : tokenizer_.added) {
      AddedToken token = added;
      for (const NormalForm form : tokenizer_.normal_forms) {
        if (!token.in_normal_form) break;
        Result<std::string> in_form = normalised(token.content, form);
        if (in_form.ok() && !in_form->empty()) token.content = *std::move(in_form);
      }
      (token.in_normal_form ? tokenizer_.in_normal_form : tokenizer_.as_written)
          .add(std::move(token));
    }
  }

  // --- What is done to the text

  void read_normaliser(const JsonValue& normaliser) {
    const std::string type = type_of(normaliser);
    if (type == "Sequence") {
      if (const JsonValue* const list = find(normaliser, "normalizers"))
        for (const JsonValue& one : reader_.list(*list, "normalizers")) read_normaliser(one);
      return;
    }
    for (const Named<NormalForm>& row : kNormalForms)
      if (row.name == type) return tokenizer_.normal_forms.push_back(row.value);
    refuse(normaliser, fmt::format("the normalizer {} is not known: NFC, NFD, NFKC and NFKD are",
                                   in_quotes(type)));
  }

  void add_split(const JsonValue& at, Result<Pattern> pattern, bool keeps_matches,
                 bool keeps_rest) {
    if (!pattern.ok()) return refuse(at, pattern.error().message);
    tokenizer_.splits.push_back(PatternSplit{*std::move(pattern), keeps_matches, keeps_rest});
  }

  void read_splits(const JsonValue& splits) {
    const std::string type = type_of(splits);
    if (type == "Sequence") {
      if (const JsonValue* const list = find(splits, "pretokenizers"))
        for (const JsonValue& one : reader_.list(*list, "pretokenizers")) read_splits(one);
      return;
    }
    if (has_byte_level_)
      return refuse(splits, fmt::format("{} comes after \"ByteLevel\", and letters of bytes cannot "
                                        "be divided",
                                        in_quotes(type)));
    if (type == "ByteLevel") return read_byte_level(splits);
    if (type == "Split") return read_split(splits);
    if (type == "Digits")
      return add_split(
          splits, Pattern::parse(flag(splits, "individual_digits", false) ? "\\p{N}" : "\\p{N}+"),
          true, true);
    refuse(splits, fmt::format("the pre-tokenizer {} is not known: ByteLevel, Split, Digits and "
                               "Sequence are",
                               in_quotes(type)));
  }

  void read_byte_level(const JsonValue& step) {
    has_byte_level_ = true;
    if (flag(step, "add_prefix_space", true)) tokenizer_.splits.emplace_back(BlankBefore{});
    if (flag(step, "use_regex", true)) add_split(step, Pattern::parse(kWords), true, true);
  }

  void read_split(const JsonValue& step) {
    const JsonValue* const pattern = find(step, "pattern");
    const JsonValue* const expression = pattern == nullptr ? nullptr : find(*pattern, "Regex");
    const JsonValue* const literal = pattern == nullptr ? nullptr : find(*pattern, "String");
    if (expression == nullptr && literal == nullptr)
      return refuse(step, "a split has a \"pattern\" with a \"Regex\" or a \"String\"");
    const std::string behaviour = text(step, "behavior");
    if (behaviour != "Isolated" && behaviour != "Removed")
      return refuse(step, fmt::format("the behavior {} is not known: Isolated and Removed are",
                                      in_quotes(behaviour)));
    // What is inverted takes for matches what lies between them.
    const bool inverted = flag(step, "invert", false);
    const bool keeps_all = behaviour == "Isolated";
    add_split(step,
              expression != nullptr ? Pattern::parse(reader_.text(*expression, "Regex"))
                                    : Pattern::literal(reader_.text(*literal, "String")),
              keeps_all || inverted, keeps_all || !inverted);
  }

  // --- What is put around it

  void read_post_processor(const JsonValue& after) {
    const std::string type = type_of(after);
    if (type == "ByteLevel") return;
    if (type == "Sequence") {
      if (const JsonValue* const list = find(after, "processors"))
        for (const JsonValue& one : reader_.list(*list, "processors")) read_post_processor(one);
      return;
    }
    if (type != "TemplateProcessing")
      return refuse(after, fmt::format("the post-processor {} is not known: ByteLevel, "
                                       "TemplateProcessing and Sequence are",
                                       in_quotes(type)));
    const JsonValue* const single = find(after, "single");
    if (single == nullptr) return refuse(after, "a template has \"single\"");
    int texts = 0;
    for (const JsonValue& piece : reader_.list(*single, "single")) {
      const JsonValue* const special = find(piece, "SpecialToken");
      if (special == nullptr) {
        ++texts;
        continue;
      }
      for (const std::int32_t token : tokens_of_template(after, text(*special, "id")))
        (texts > 0 ? tokenizer_.behind : tokenizer_.before).push_back(token);
    }
    if (texts != 1)
      refuse(after,
             fmt::format("the template's \"single\" has the text {} times, and not once", texts));
  }

  std::vector<std::int32_t> tokens_of_template(const JsonValue& after, const std::string& name) {
    std::vector<std::int32_t> tokens;
    const JsonValue* const table = find(after, "special_tokens");
    const JsonValue* const special = table == nullptr ? nullptr : find(*table, name);
    const JsonValue* const ids = special == nullptr ? nullptr : find(*special, "ids");
    if (ids == nullptr) {
      refuse(after,
             fmt::format("the template's {} is not among its \"special_tokens\"", in_quotes(name)));
      return tokens;
    }
    for (const JsonValue& id : reader_.list(*ids, "ids"))
      tokens.push_back(static_cast<std::int32_t>(reader_.whole(id, "number of a token", kTokens)));
    return tokens;
  }

  JsonReader reader_;
  Tokenizer tokenizer_ = {};
  std::unordered_map<std::string, std::int32_t> letters_ = {};  // tokens as the file writes them
  bool has_byte_level_ = false;
};

// As published tokenizers call what ends a text.
constexpr std::string_view kEnds[] = {"<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>"};

// A text, or an object that has it as its content.
std::optional<std::string> configured_end(const std::string& path) {
  const std::string config = config_beside(path);
  std::error_code ignored;
  if (!std::filesystem::exists(config, ignored)) return std::nullopt;
  const Result<std::string> text = read_text_file(config);
  if (!text.ok()) return std::nullopt;
  const Result<JsonValue> json = parse_json(*text, config);
  if (!json.ok()) return std::nullopt;
  const JsonValue* end = find(*json, "eos_token");
  if (end != nullptr)
    if (const JsonValue* const content = find(*end, "content")) end = content;
  const auto* const name = end == nullptr ? nullptr : std::get_if<std::string>(&end->data);
  return name == nullptr ? std::nullopt : std::optional(*name);
}

}  // namespace

Result<Tokenizer> parse_tokenizer(std::string_view text, const std::string& file) {
  const Result<JsonValue> json = parse_json(text, file);
  if (!json.ok()) return json.error();
  return FileReader(file).read(*json);
}

std::string tokenizer_path(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return path;
  return (std::filesystem::path(path) / "tokenizer.json").string();
}

std::string config_beside(const std::string& path) {
  return (std::filesystem::path(path).parent_path() / "tokenizer_config.json").string();
}

Result<Tokenizer> load_tokenizer(const std::string& path) {
  if (Failure failure = require_regular_file(path)) return *failure;
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return text.error();
  return parse_tokenizer(*text, path);
}

Result<std::int32_t> end_token(const Tokenizer& tokenizer, const std::string& path,
                               const std::string& asked) {
  const std::string name = asked.empty() ? configured_end(path).value_or("") : asked;
  if (!name.empty()) {
    const std::optional<std::int32_t> token = token_called(tokenizer, name);
    if (token) return *token;
    return bad_input(fmt::format("the tokenizer '{}' has no token {}", path, in_quotes(name)));
  }
  std::vector<std::int32_t> found;
  for (const AddedToken& added : tokenizer.added)
    if (std::find(std::begin(kEnds), std::end(kEnds), added.content) != std::end(kEnds))
      found.push_back(added.token);
  if (found.size() == 1) return found.front();
  return bad_input(
      fmt::format("the tokenizer '{}' does not say which token ends a text: give "
                  "--end-token",
                  path));
}

}  // namespace poet
