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
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz-";
  std::string words;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t dashes = sentence.find("--", at);
    words += sentence.substr(at, dashes - at);
    if (dashes == std::string_view::npos) break;
    const std::size_t end =
        std::min(sentence.find_first_not_of(kLetters, dashes + 2), sentence.size());
    std::string name(sentence.substr(dashes + 2, end - dashes - 2));
    std::replace(name.begin(), name.end(), '-', '_');
    words += find_field(name) != nullptr ? name : sentence.substr(dashes, end - dashes);
    at = end;
  }
  return words;
}

const RequestField* find_field(std::string_view name) {
  for (const RequestField& field : request_fields())
    if (field.name == name) return &field;
  return nullptr;
}

}  // namespace poet
