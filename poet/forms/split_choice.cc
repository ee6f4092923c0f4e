#include "poet/forms/split_choice.h"

#include <limits>

#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"

namespace poet {
namespace {

constexpr WholeRange kCounts{1, std::numeric_limits<std::int64_t>::max()};

SplitTrial read_trial(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "a trial", reader);
  SplitTrial trial{.micro_batches = object.whole("micro_batches", kCounts),
                   .bound = object.number("bound", NumberRange::NotNegative)};
  const JsonValue& objective = object.member("objective");
  if (!std::holds_alternative<std::nullptr_t>(objective.data))
    trial.objective = reader.number(objective, "objective", NumberRange::NotNegative);
  trial.why_not = object.text("why_not");
  object.finish();
  return trial;
}

}  // namespace

JsonOut trials_to_json(const std::vector<SplitTrial>& trials) {
  JsonOut list = JsonOut::array();
  for (const SplitTrial& trial : trials)
    list.push_back({{"micro_batches", trial.micro_batches},
                    {"bound", trial.bound},
                    {"objective", or_null(trial.objective)},
                    {"why_not", trial.why_not}});
  return list;
}

std::string split_text(const SplitChoice& choice) {
  JsonOut out = {{"format", "poet-split"},
                 {"version", 1},
                 {"micro_batches", choice.micro_batches},
                 {"ram_budget_bytes", or_null(choice.ram_budget_bytes)},
                 {"why", choice.why}};
  out["trials"] = trials_to_json(choice.trials);
  return json_text(out);
}

Result<SplitChoice> parse_split(std::string_view text, const std::string& file) {
  const Result<JsonValue> json = parse_json(text, file);
  if (!json.ok()) return json.error();
  JsonReader reader(file);
  JsonObject object(*json, "a split", reader);
  object.format("poet-split", 1);
  if (reader.failure()) return *reader.failure();
  SplitChoice choice{.micro_batches = object.whole("micro_batches", kCounts)};
  const JsonValue& budget = object.member("ram_budget_bytes");
  if (!std::holds_alternative<std::nullptr_t>(budget.data))
    choice.ram_budget_bytes = reader.whole(budget, "ram_budget_bytes", kSizeRange);
  choice.why = object.text("why");
  for (const JsonValue& trial : object.list("trials"))
    choice.trials.push_back(read_trial(trial, reader));
  object.finish();
  if (reader.failure()) return *reader.failure();
  return choice;
}

}  // namespace poet
