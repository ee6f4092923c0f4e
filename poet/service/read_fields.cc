#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "poet/base/closest_name.h"
#include "poet/base/json.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/service/job_question.h"
#include "poet/service/request_fields.h"

namespace poet {
namespace {

constexpr std::string_view kUpload = "sha256:";

std::optional<std::string> scalar_text(const JsonValue& value) {
  if (const bool* const flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const auto* const whole = std::get_if<std::int64_t>(&value.data))
    return fmt::format("{}", *whole);
  if (const double* const number = std::get_if<double>(&value.data))
    return fmt::format("{}", *number);
  if (const std::string* const text = std::get_if<std::string>(&value.data)) return *text;
  return std::nullopt;
}

bool may_be_list(const std::string& name) {
  const RequestField* const field = find_field(name);
  if (field != nullptr) return field->is_list;
  return std::any_of(curve_fields().begin(), curve_fields().end(),
                     [&name](const RequestField& one) { return one.name == name && one.is_list; });
}

// A list where there is one value stays one, which whoever reads the field refuses.
Result<std::string> value_text(const std::string& name, const JsonValue& value) {
  const JsonList* const list = std::get_if<JsonList>(&value.data);
  if (list == nullptr) {
    if (std::optional<std::string> text = scalar_text(value)) return *std::move(text);
    return bad_input(
        fmt::format("{}: expected a number, a text, true, false or a list of them, found {}",
                    in_quotes(name), found_text(value)));
  }
  std::vector<std::string> parts;
  for (const JsonValue& one : *list) {
    std::optional<std::string> part = scalar_text(one);
    if (!part)
      return bad_input(
          fmt::format("{}: expected a list of numbers, texts, true or false, found {} at place {} "
                      "of it",
                      in_quotes(name), found_text(one), parts.size() + 1));
    parts.push_back(*std::move(part));
  }
  const std::string joined = fmt::format("{}", fmt::join(parts, ","));
  return may_be_list(name) ? joined : "[" + joined + "]";
}

Failure check_name(const std::string& text) {
  constexpr std::size_t kLongest = 200;
  if (!text.empty() && text.size() <= kLongest) return std::nullopt;
  return bad_input(
      fmt::format("expected a name of up to {} letters, found {}", kLongest, in_quotes(text)));
}

// As a command line has the value: numbers of 2 and 2.0 are one, and so are true and 1.
Result<std::string> option_text(const RequestField& field, const std::string& text) {
  if (field.type == FieldType::Whole && text.ends_with(".0"))
    return text.substr(0, text.size() - 2);
  if (field.type != FieldType::Switch) return text;
  const Result<bool> on = read_switch(text);
  if (!on.ok()) return on.error();
  return std::string(*on ? "true" : "false");
}

std::string with_blanks(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

Failure read_field(const RequestField& field, const std::string& text, PlanRequest& asked) {
  const std::vector<std::string>& words = field.words;
  if (!words.empty() && std::find(words.begin(), words.end(), text) == words.end()) {
    const std::string near = suggestion(text, {words.begin(), words.end()});
    return bad_input(
        fmt::format("unknown {} {}{}", with_blanks(field.name), in_quotes(text),
                    near.empty() ? fmt::format("; there are {}", fmt::join(words, ", ")) : near));
  }
  if (field.option->json->is_name)
    if (Failure failure = check_name(text)) return failure;
  const Result<std::string> value = option_text(field, text);
  if (!value.ok()) return value.error();
  return field.option->read(asked, *value);
}

Error unknown_field(const std::string& name) {
  std::vector<std::string_view> known;
  for (const RequestField& field : request_fields()) known.push_back(field.name);
  const std::string near = suggestion(name, known);
  return bad_input(fmt::format("unknown field {}{}", in_quotes(name),
                               near.empty() ? "; GET /openapi.json lists them" : near));
}

// The words that a shell would need to ask the same.
std::string shell_word(const std::string& text) {
  const bool plain =
      text.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=%+:,") ==
      std::string::npos;
  if (plain && !text.empty()) return text;
  std::string quoted = "'";
  for (const char letter : text)
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

// What differs from the usual.
std::string flags_of(const PlanRequest& asked, const PlanRequest& usual) {
  std::string line;
  for (const RequestField& field : request_fields()) {
    const JsonOut value = field.option->write(asked);
    if (value.is_null() || value == field.option->write(usual)) continue;
    std::string flag = "--";
    for (const char letter : field.name) flag += letter == '_' ? '-' : letter;
    if (field.type == FieldType::Switch) {
      line += " --no-" + flag.substr(2);
      continue;
    }
    const std::string text = value.is_string() ? value.get<std::string>() : json_line(value);
    line += " " + flag + " " + shell_word(text);
  }
  return line;
}

}  // namespace

Result<FieldTexts> fields_in_json(const std::string& text) {
  const Result<JsonValue> value = parse_json(text, "");
  if (!value.ok()) return value.error();
  const JsonMembers* const members = std::get_if<JsonMembers>(&value->data);
  if (members == nullptr)
    return bad_input(
        fmt::format("a request is a JSON object with fields, found {}", found_text(*value)));
  FieldTexts texts;
  for (const JsonMember& member : *members) {
    if (std::holds_alternative<std::nullptr_t>(member.value.data)) continue;
    Result<std::string> one = value_text(member.key, member.value);
    if (!one.ok()) return one.error();
    texts[member.key] = *std::move(one);
  }
  return texts;
}

ReadFields read_fields(const FieldTexts& texts) {
  ReadFields read;
  for (const auto& [name, text] : texts)
    if (find_field(name) == nullptr) {
      read.fault = FieldFault{unknown_field(name), name};
      return read;
    }
  for (const RequestField& field : request_fields()) {
    const auto found = texts.find(field.name);
    if (found == texts.end()) continue;
    if (Failure failure = read_field(field, found->second, read.asked)) {
      read.fault = FieldFault{*std::move(failure), field.name};
      return read;
    }
  }
  return read;
}

JsonOut fields_to_json(const PlanRequest& asked) {
  JsonOut out;
  for (const RequestField& field : request_fields()) out[field.name] = field.option->write(asked);
  return out;
}

std::string command_of(const PlanRequest& asked) {
  return "poet solve" + flags_of(asked, {});
}

std::string project_command_of(const PlanRequest& asked) {
  PlanRequest trained = asked;
  trained.graph = PlanRequest{}.graph;  // nothing but the real one becomes a project
  PlanRequest usual;
  usual.batch_size = 0;  // trainings have another than plans, so it is said
  return "poet export c" + flags_of(trained, usual) + " --out poet-project";
}

bool is_hex_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool names_upload(std::string_view model) {
  return model.starts_with(kUpload) && is_hex_digest(model.substr(kUpload.size()));
}

}  // namespace poet
