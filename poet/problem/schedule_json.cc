#include "poet/problem/schedule_json.h"

#include "poet/base/json_out.h"

namespace poet {
namespace {

enum class Verb { Compute, PageOut, PageIn, Drop };

constexpr Named<Verb> kVerbs[] = {{"compute", Verb::Compute},
                                  {"page_out", Verb::PageOut},
                                  {"page_in", Verb::PageIn},
                                  {"drop", Verb::Drop}};

struct VerbAndId {
  Verb verb;
  std::int32_t id;
};

struct Split {
  VerbAndId operator()(const Compute& action) const {
    return {Verb::Compute, index_of(action.operation)};
  }
  VerbAndId operator()(const PageOut& action) const {
    return {Verb::PageOut, index_of(action.tensor)};
  }
  VerbAndId operator()(const PageIn& action) const {
    return {Verb::PageIn, index_of(action.tensor)};
  }
  VerbAndId operator()(const Drop& action) const { return {Verb::Drop, index_of(action.tensor)}; }
};

Action join(VerbAndId split) {
  switch (split.verb) {
    case Verb::Compute:
      return Compute{OperationId{split.id}};
    case Verb::PageOut:
      return PageOut{TensorId{split.id}};
    case Verb::PageIn:
      return PageIn{TensorId{split.id}};
    case Verb::Drop:
      return Drop{TensorId{split.id}};
  }
  check_failed("a known verb", __FILE__, __LINE__);
}

Action read_action(const JsonValue& value, JsonReader& reader) {
  const auto* const pair = std::get_if<JsonList>(&value.data);
  if (pair == nullptr || pair->size() != 2) {
    reader.refuse(value, "an action must be a pair such as [\"compute\", 3], found " +
                             (pair == nullptr ? found_text(value)
                                              : "a list of " + std::to_string(pair->size())));
    return Compute{};
  }
  const Verb verb = reader.choice((*pair)[0], "action", kVerbs);
  const std::int64_t id = reader.whole((*pair)[1], name_of(kVerbs, verb), kIndexRange);
  return join({verb, static_cast<std::int32_t>(id)});
}

JsonOut placed_to_json(const PlacedBuffer& placed) {
  JsonOut out = {{"tensor", index_of(placed.tensor)}};
  if (placed.action) out["action"] = *placed.action;
  out["memory"] = index_of(placed.memory);
  return out;
}

PlacedBuffer read_placed(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "a placed buffer", reader);
  PlacedBuffer placed;
  placed.tensor = TensorId{static_cast<std::int32_t>(object.whole("tensor", kIndexRange))};
  if (object.has("action")) placed.action = object.whole("action", kIndexRange);
  placed.memory = MemoryId{static_cast<std::int32_t>(object.whole("memory", kIndexRange))};
  object.finish();
  return placed;
}

}  // namespace

JsonOut schedule_to_json(const Schedule& schedule) {
  JsonOut out = JsonOut::object();
  out["format"] = "poet-schedule";
  out["version"] = 1;
  JsonOut& resident = out["resident"] = JsonOut::array();
  for (const TensorId id : schedule.resident) resident.push_back(index_of(id));
  JsonOut& actions = out["actions"] = JsonOut::array();
  for (const Action& action : schedule.actions) {
    const VerbAndId split = std::visit(Split{}, action);
    actions.push_back(JsonOut::array({name_of(kVerbs, split.verb), split.id}));
  }
  for (const PlacedBuffer& placed : schedule.placed)
    out["placed"].push_back(placed_to_json(placed));
  return out;
}

std::string schedule_text(const Schedule& schedule) {
  return json_text(schedule_to_json(schedule));
}

Schedule read_schedule(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "the schedule", reader);
  Schedule schedule;
  object.format("poet-schedule", 1);
  if (object.has("resident"))
    for (const std::int64_t id : object.wholes("resident", kIndexRange))
      schedule.resident.push_back(TensorId{static_cast<std::int32_t>(id)});
  for (const JsonValue& action : object.list("actions"))
    schedule.actions.push_back(read_action(action, reader));
  if (object.has("placed"))
    for (const JsonValue& placed : object.list("placed"))
      schedule.placed.push_back(read_placed(placed, reader));
  object.finish();
  return schedule;
}

Result<Schedule> parse_schedule(std::string_view text, const std::string& file) {
  const Result<JsonValue> json = parse_json(text, file);
  if (!json) return json.error();
  JsonReader reader(file);
  Schedule schedule = read_schedule(*json, reader);
  if (reader.failure()) return *reader.failure();
  return schedule;
}

}  // namespace poet
