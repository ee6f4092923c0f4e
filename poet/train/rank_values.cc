#include "poet/train/rank_values.h"

#include <fmt/core.h>

#include <cstring>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"

namespace poet {
namespace {

// A question, and in front of what is to be written.
struct Request {
  std::int64_t writes = 0;  // 1 where bytes follow
  std::int64_t value = 0;   // place in the description
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};

std::string text_of(const Request& request, std::span<const std::byte> bytes) {
  std::string text(sizeof request + bytes.size(), '\0');
  std::memcpy(text.data(), &request, sizeof request);
  if (!bytes.empty()) std::memcpy(text.data() + sizeof request, bytes.data(), bytes.size());
  return text;
}

Result<std::string> reply_to(const std::string& question, const std::vector<HeldValue>& values) {
  Request request;
  POET_CHECK(question.size() >= sizeof request);
  std::memcpy(&request, question.data(), sizeof request);
  const HeldValue& value = values.at(static_cast<std::size_t>(request.value));
  if (request.writes != 0) {
    const std::span<const std::byte> bytes =
        std::as_bytes(std::span(question)).subspan(sizeof request);
    if (Failure failure = value.write(request.offset_bytes, bytes)) return *failure;
    return std::string();
  }
  std::string bytes(static_cast<std::size_t>(request.size_bytes), '\0');
  if (Failure failure = value.read(request.offset_bytes, std::as_writable_bytes(std::span(bytes))))
    return *failure;
  return bytes;
}

HeldValue asked_for(int rank, std::int64_t place, RankConference& conference) {
  HeldValue value;
  value.read = [=, &conference](std::int64_t offset_bytes, std::span<std::byte> into) -> Failure {
    const Result<std::string> reply = conference.ask(
        rank, text_of({0, place, offset_bytes, static_cast<std::int64_t>(into.size())}, {}));
    if (!reply.ok()) return reply.error();
    POET_CHECK(reply->size() == into.size());
    std::memcpy(into.data(), reply->data(), into.size());
    return std::nullopt;
  };
  value.write = [=, &conference](std::int64_t offset_bytes,
                                 std::span<const std::byte> from) -> Failure {
    const Result<std::string> reply = conference.ask(
        rank, text_of({1, place, offset_bytes, static_cast<std::int64_t>(from.size())}, from));
    return reply.ok() ? std::nullopt : Failure(reply.error());
  };
  return value;
}

}  // namespace

std::string description_of(const std::vector<HeldValue>& values) {
  JsonOut list = JsonOut::array();
  for (const HeldValue& value : values)
    list.push_back({{"name", value.name},
                    {"role", std::string(name_of(kTensorRoles, value.role))},
                    {"element", std::string(name_of(kElementTypes, value.type.element))},
                    {"shape", value.type.shape}});
  return json_line(list);
}

Result<std::vector<HeldValue>> values_of_rank(int rank, const std::string& description,
                                              RankConference& conference) {
  const std::string file = fmt::format("the values of rank {}", rank);
  const Result<JsonValue> json = parse_json(description, file);
  if (!json.ok()) return json.error();
  JsonReader reader(file);
  std::vector<HeldValue> values;
  for (const JsonValue& row : reader.list(*json, "values")) {
    HeldValue value = asked_for(rank, std::ssize(values), conference);
    JsonObject object(row, "a value", reader);
    value.name = object.text("name");
    value.role = object.choice("role", kTensorRoles);
    value.type.element = object.choice("element", kElementTypes);
    value.type.shape = object.wholes("shape", {1, kSizeRange.max});
    object.finish();
    values.push_back(std::move(value));
  }
  if (reader.failure()) return *reader.failure();
  return values;
}

RankConference::Reply reply_for(std::vector<HeldValue> values) {
  return [values = std::move(values)](const std::string& question) {
    return reply_to(question, values);
  };
}

}  // namespace poet
