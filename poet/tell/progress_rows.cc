#include "poet/tell/progress_rows.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "poet/base/json.h"

namespace poet {
namespace {

constexpr const char* kFormat = "poet-progress";
constexpr std::int64_t kVersion = 1;
constexpr std::size_t kMostTextBytes = 1000;

enum class MemberType { Whole, Number, Text, Flag };

struct Member {
  std::string_view name;
  MemberType type = MemberType::Whole;
};

// One row per kind of line: reading, and what a service passes on, follow from it.
struct RowKind {
  std::string_view event;
  std::vector<Member> members;
};

const std::vector<RowKind>& row_kinds() {
  using enum MemberType;
  static const std::vector<RowKind> kinds = {
      {"begin",
       {{"format", Text},
        {"version", Whole},
        {"at_unix_s", Whole},
        {"model", Text},
        {"command", Text},
        {"locked", Flag}}},
      {"plan",
       {{"at_s", Number},
        {"first_step", Whole},
        {"steps", Whole},
        {"micro_batches", Whole},
        {"predicted_step_s", Number},
        {"predicted_step_j", Number},
        {"ram_budget_bytes", Whole},
        {"arena_bytes", Whole},
        {"process_bytes", Whole},
        {"plain_peak_bytes", Whole},
        {"storage_bytes", Whole},
        {"step_read_bytes", Whole},
        {"step_written_bytes", Whole},
        {"recomputed_operations", Whole},
        {"planned_with", Text}}},
      {"step",
       {{"at_s", Number},
        {"step", Whole},
        {"steps", Whole},
        {"epoch", Number},
        {"of_steps", Whole},
        {"loss", Number},
        {"learning_rate", Number},
        {"step_s", Number},
        {"remaining_s", Number},
        {"energy_j", Number},
        {"read_bytes", Whole},
        {"written_bytes", Whole},
        {"resident_bytes", Whole},
        {"peak_bytes", Whole},
        {"ram_budget_bytes", Whole}}},
      {"evaluation",
       {{"at_s", Number},
        {"step", Whole},
        {"loss", Number},
        {"accuracy", Number},
        {"perplexity", Number},
        {"error", Number},
        {"examples", Whole}}},
      {"saved", {{"at_s", Number}, {"step", Whole}, {"best", Flag}}},
      {"moved", {{"at_s", Number}, {"step", Whole}, {"ram_budget_bytes", Whole}}},
      {"replanned",
       {{"at_s", Number},
        {"step", Whole},
        {"replanning", Text},
        {"predicted_step_s", Number},
        {"measured_step_s", Number},
        {"saving_s", Number},
        {"cost_s", Number},
        {"why", Text}}},
      {"end", {{"at_s", Number}, {"state", Text}, {"why", Text}}},
  };
  return kinds;
}

std::string short_text(const std::string& text) {
  return text.size() <= kMostTextBytes ? text : text.substr(0, kMostTextBytes) + "...";
}

std::string row_text(const char* event, JsonOut members) {
  JsonOut row = {{"event", event}};
  row.update(members);
  return json_line(row);
}

JsonOut member_of(const JsonValue& value, MemberType type) {
  const auto* const whole = std::get_if<std::int64_t>(&value.data);
  switch (type) {
    case MemberType::Whole:
      return whole != nullptr && *whole >= 0 ? JsonOut(*whole) : JsonOut(nullptr);
    case MemberType::Number:
      if (whole != nullptr) return *whole;
      if (const auto* const number = std::get_if<double>(&value.data)) return *number;
      return nullptr;
    case MemberType::Text:
      if (const auto* const text = std::get_if<std::string>(&value.data)) return short_text(*text);
      return nullptr;
    case MemberType::Flag:
      if (const auto* const flag = std::get_if<bool>(&value.data)) return *flag;
      return nullptr;
  }
  return nullptr;
}

const JsonValue* find(const JsonMembers& members, std::string_view name) {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [name](const JsonMember& one) { return one.key == name; });
  return found == members.end() ? nullptr : &found->value;
}

const RowKind* kind_of(const JsonMembers& members) {
  const JsonValue* const event = find(members, "event");
  const auto* const name = event == nullptr ? nullptr : std::get_if<std::string>(&event->data);
  if (name == nullptr) return nullptr;
  const std::vector<RowKind>& kinds = row_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [name](const RowKind& kind) { return kind.event == *name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace

std::string progress_row(const RunBegin& begin) {
  return row_text("begin", {{"format", kFormat},
                            {"version", kVersion},
                            {"at_unix_s", begin.at_unix_s},
                            {"model", short_text(begin.model)},
                            {"command", short_text(begin.command)},
                            {"locked", begin.is_locked}});
}

std::string progress_row(double at_s, const PlannedLine& planned) {
  return row_text("plan", {{"at_s", at_s},
                           {"first_step", planned.first_step},
                           {"steps", planned.steps},
                           {"micro_batches", planned.micro_batches},
                           {"predicted_step_s", planned.predicted_step_s},
                           {"predicted_step_j", planned.predicted_step_j},
                           {"ram_budget_bytes", planned.ram_budget_bytes},
                           {"arena_bytes", planned.arena_bytes},
                           {"process_bytes", planned.fixed_overhead_bytes},
                           {"plain_peak_bytes", planned.plain_peak_bytes},
                           {"storage_bytes", planned.storage_bytes},
                           {"step_read_bytes", planned.predicted_in_bytes},
                           {"step_written_bytes", planned.predicted_out_bytes},
                           {"recomputed_operations", planned.recomputed_operations},
                           {"planned_with", short_text(planned.planned_with)}});
}

std::string progress_row(double at_s, const StepsNews& news) {
  const StepLine& last = news.last;
  return row_text("step", {{"at_s", at_s},
                           {"step", last.step},
                           {"steps", last.steps},
                           {"epoch", last.epoch},
                           {"of_steps", news.steps},
                           {"loss", news.mean_loss},
                           {"learning_rate", last.learning_rate},
                           {"step_s", news.mean_step_s},
                           {"remaining_s", last.remaining_s},
                           {"energy_j", last.energy_j},
                           {"read_bytes", last.paged_in_bytes},
                           {"written_bytes", last.paged_out_bytes},
                           {"resident_bytes", news.resident_bytes},
                           {"peak_bytes", last.peak_bytes},
                           {"ram_budget_bytes", last.ram_budget_bytes}});
}

std::string progress_row(double at_s, const EvaluationLine& line) {
  return row_text("evaluation", {{"at_s", at_s},
                                 {"step", line.step},
                                 {"loss", line.score.loss},
                                 {"accuracy", or_null(line.score.accuracy)},
                                 {"perplexity", or_null(line.score.perplexity)},
                                 {"error", or_null(line.score.error)},
                                 {"examples", line.score.examples}});
}

std::string progress_row(double at_s, const SavedLine& line) {
  return row_text("saved", {{"at_s", at_s}, {"step", line.step}, {"best", line.is_best}});
}

std::string progress_row(double at_s, const MoveLine& line) {
  return row_text("moved",
                  {{"at_s", at_s}, {"step", line.step}, {"ram_budget_bytes", line.to_bytes}});
}

std::string progress_row(double at_s, const ReplanLine& line) {
  return row_text("replanned", {{"at_s", at_s},
                                {"step", line.step},
                                {"replanning", std::string(name_of(kReplanEvents, line.event))},
                                {"predicted_step_s", line.predicted_step_s},
                                {"measured_step_s", line.measured_step_s},
                                {"saving_s", line.saving_s},
                                {"cost_s", line.cost_s},
                                {"why", short_text(line.why)}});
}

std::string progress_row(double at_s, const RunEnd& end) {
  return row_text("end", {{"at_s", at_s},
                          {"state", std::string(name_of(kRunEndStates, end.state))},
                          {"why", short_text(end.why)}});
}

std::optional<ProgressRow> read_progress_row(std::string_view line) {
  if (line.size() > kLongestProgressRow) return std::nullopt;
  const Result<JsonValue> value = parse_json(line, "progress");
  if (!value.ok()) return std::nullopt;
  const auto* const members = std::get_if<JsonMembers>(&value->data);
  const RowKind* const kind = members == nullptr ? nullptr : kind_of(*members);
  if (kind == nullptr) return std::nullopt;
  ProgressRow row{.event = std::string(kind->event), .members = JsonOut::object()};
  for (const Member& member : kind->members) {
    const JsonValue* const found = find(*members, member.name);
    row.members[std::string(member.name)] =
        found == nullptr ? JsonOut(nullptr) : member_of(*found, member.type);
  }
  const bool is_begin = row.event == "begin";
  if (is_begin && (row.members["format"] != kFormat || row.members["version"] != kVersion))
    return std::nullopt;
  return row;
}

}  // namespace poet
