#include "poet/service/request_fields.h"

#include <fmt/core.h>

#include <algorithm>

#include "poet/base/message_text.h"

namespace poet {
namespace {

RequestField field_of(const QuestionOption& option) {
  const JsonField& json = *option.json;
  const bool only_words = option.row.only_words || json.only_words;
  return {.name = json_name(option.row),
          .type = json.type,
          .what = json.what,
          .words = only_words ? option.row.words : std::vector<std::string>(),
          .about_size = json.about_size,
          .option = &option,
          .is_list = option.row.value.ends_with(",...")};
}

// In the order in which questions have had their names from the start: how long to search was said
// last.
std::vector<RequestField> make_fields() {
  std::vector<RequestField> fields;
  for (const QuestionOption& option : question_options())
    if (option.json) fields.push_back(field_of(option));
  const auto limit = std::find_if(fields.begin(), fields.end(), [](const RequestField& field) {
    return field.name == "time_limit_s";
  });
  std::rotate(limit, limit + 1, fields.end());
  return fields;
}

// Where a sentence has the next word that begins like an option, and the field of that name.
struct OptionWord {
  std::size_t begin = std::string_view::npos;
  std::size_t end = 0;
  const RequestField* field = nullptr;
};

OptionWord next_option(std::string_view sentence, std::size_t at) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz-";
  const std::size_t dashes = sentence.find("--", at);
  if (dashes == std::string_view::npos) return {};
  const std::size_t end =
      std::min(sentence.find_first_not_of(kLetters, dashes + 2), sentence.size());
  std::string name(sentence.substr(dashes + 2, end - dashes - 2));
  std::replace(name.begin(), name.end(), '-', '_');
  return {dashes, end, find_field(name)};
}

}  // namespace

Result<bool> read_switch(const std::string& text) {
  if (text != "true" && text != "false" && text != "1" && text != "0")
    return bad_input(fmt::format("expected true or false, found {}", in_quotes(text)));
  return text == "true" || text == "1";
}

const std::vector<RequestField>& request_fields() {
  static const std::vector<RequestField> fields = make_fields();
  return fields;
}

std::string in_field_words(std::string_view sentence) {
  std::string words;
  for (std::size_t at = 0; at < sentence.size();) {
    const OptionWord option = next_option(sentence, at);
    words += sentence.substr(at, option.begin - at);
    if (option.begin == std::string_view::npos) break;
    words += option.field != nullptr ? option.field->name
                                     : sentence.substr(option.begin, option.end - option.begin);
    at = option.end;
  }
  return words;
}

std::string_view field_named_in(std::string_view sentence) {
  for (OptionWord option = next_option(sentence, 0); option.begin != std::string_view::npos;
       option = next_option(sentence, option.end))
    if (option.field != nullptr) return option.field->name;
  return {};
}

const RequestField* find_field(std::string_view name) {
  for (const RequestField& field : request_fields())
    if (field.name == name) return &field;
  return nullptr;
}

}  // namespace poet
