#include "poet/plan/plan_file.h"

#include <cmath>

#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/base/text_file.h"
#include "poet/problem/problem_json.h"
#include "poet/problem/schedule_json.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

constexpr Named<std::string_view> kStatuses[] = {{"optimal", "optimal"}, {"feasible", "feasible"}};
constexpr WholeRange kPositionRange{0, std::numeric_limits<std::int64_t>::max()};

JsonOut origin_to_json(const PlanOrigin& origin) {
  JsonOut out = {{"model", origin.model},
                 {"platform", origin.platform},
                 {"graph", origin.graph},
                 {"command", origin.command}};
  if (origin.part_bytes) out["part_bytes"] = *origin.part_bytes;
  return out;
}

JsonOut proof_to_json(const PlanProof& proof) {
  JsonOut out = {{"status", proof.status}, {"method", proof.method}, {"backend", proof.backend}};
  if (std::isfinite(proof.lower_bound)) out["lower_bound"] = proof.lower_bound;
  if (proof.time_limit_s) out["time_limit_s"] = *proof.time_limit_s;
  if (proof.ended_by_clock) out["ended_by_clock"] = true;
  return out;
}

JsonOut buffer_to_json(const PlanBuffer& buffer) {
  JsonOut out = {{"tensor", index_of(buffer.tensor)},
                 {"size_bytes", buffer.size_bytes},
                 {"begin_action", buffer.begin_action},
                 {"end_action", buffer.end_action}};
  if (buffer.shares) out["shares"] = *buffer.shares;
  if (buffer.memory != kFastRam) out["memory"] = index_of(buffer.memory);
  return out;
}

PlanOrigin read_origin(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "'origin'", reader);
  PlanOrigin origin;
  origin.model = object.text("model");
  origin.platform = object.text("platform");
  origin.graph = object.text("graph");
  origin.command = object.text("command");
  if (object.has("part_bytes")) origin.part_bytes = object.whole("part_bytes", kSizeRange);
  object.finish();
  return origin;
}

PlanProof read_proof(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "'proof'", reader);
  PlanProof proof;
  proof.status = object.choice("status", kStatuses);
  proof.method = object.text("method");
  proof.backend = object.text("backend");
  if (object.has("lower_bound")) proof.lower_bound = object.number("lower_bound", NumberRange::Any);
  if (object.has("time_limit_s"))
    proof.time_limit_s = object.number("time_limit_s", NumberRange::NotNegative);
  if (object.has("ended_by_clock")) proof.ended_by_clock = object.flag("ended_by_clock");
  object.finish();
  return proof;
}

PlanBuffer read_buffer(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "a buffer", reader);
  PlanBuffer buffer;
  buffer.tensor = TensorId{static_cast<std::int32_t>(object.whole("tensor", kIndexRange))};
  buffer.size_bytes = object.whole("size_bytes", kSizeRange);
  buffer.begin_action = object.whole("begin_action", kPositionRange);
  buffer.end_action = object.whole("end_action", kPositionRange);
  if (object.has("shares")) buffer.shares = object.whole("shares", kPositionRange);
  if (object.has("memory"))
    buffer.memory = MemoryId{static_cast<std::int32_t>(object.whole("memory", kIndexRange))};
  object.finish();
  return buffer;
}

void refuse_other_buffers(const Plan& plan, const JsonValue& value, const JsonList& items,
                          JsonReader& reader) {
  // A schedule that breaks other rules than limits has none that are surely right.
  if (reader.failure() || !breaks_only_limits(replay(plan.problem, plan.schedule))) return;
  const std::vector<PlanBuffer> right = buffers_of(plan.problem, plan.schedule);
  for (std::size_t i = 0; i < std::min(items.size(), right.size()); ++i)
    if (plan.buffers[i] != right[i])
      return reader.refuse(items[i], "buffer " + std::to_string(i) + " of this schedule is " +
                                         json_line(buffer_to_json(right[i])) + ", found " +
                                         json_line(buffer_to_json(plan.buffers[i])));
  if (items.size() != right.size())
    reader.refuse(value, "this schedule has " + std::to_string(right.size()) + " buffers, found " +
                             std::to_string(items.size()));
}

// What was read, as the tree of a large step is many times as large as what is read of it.
void forget(JsonValue& object, std::string_view key) {
  auto* const members = std::get_if<JsonMembers>(&object.data);
  if (members == nullptr) return;
  for (JsonMember& member : *members)
    if (member.key == key) member.value.data = nullptr;
}

Plan read_plan(JsonValue& value, ProblemLists& lists, JsonReader& reader) {
  JsonObject object(value, "the plan", reader);
  Plan plan;
  object.format("poet-plan", 1);
  if (reader.failure()) return plan;
  plan.origin = read_origin(object.member("origin"), reader);
  plan.proof = read_proof(object.member("proof"), reader);
  plan.problem = read_problem(object.member("problem"), lists, reader);
  forget(value, "problem");
  plan.schedule = read_schedule(object.member("schedule"), reader);
  forget(value, "schedule");
  const JsonList& buffers = object.list("buffers");
  for (const JsonValue& buffer : buffers) plan.buffers.push_back(read_buffer(buffer, reader));
  object.has("layout");  // known, and read by who lays plans out
  object.finish();
  refuse_other_buffers(plan, object.member("buffers"), buffers, reader);
  return plan;
}

// `text` is not needed any more once it is a tree.
Result<Plan> plan_of(std::string_view text, const std::string& file,
                     const std::function<void()>& forget_text) {
  ProblemLists lists(file);
  Result<JsonValue> json = parse_json(text, file, lists.items("problem"));
  if (!json) return json.error();
  forget_text();
  JsonReader reader(file);
  Plan plan = read_plan(*json, lists, reader);
  if (reader.failure()) return *reader.failure();
  return plan;
}

}  // namespace

JsonOut plan_to_json(const Plan& plan) {
  JsonOut out = JsonOut::object();
  out["format"] = "poet-plan";
  out["version"] = 1;
  out["origin"] = origin_to_json(plan.origin);
  out["proof"] = proof_to_json(plan.proof);
  out["problem"] = problem_to_json(plan.problem);
  out["schedule"] = schedule_to_json(plan.schedule);
  JsonOut& buffers = out["buffers"] = JsonOut::array();
  for (const PlanBuffer& buffer : plan.buffers) buffers.push_back(buffer_to_json(buffer));
  return out;
}

std::string plan_text(const Plan& plan) {
  return json_text(plan_to_json(plan));
}

Result<Plan> parse_plan(std::string_view text, const std::string& file) {
  return plan_of(text, file, [] {});
}

Result<Plan> load_plan(const std::string& path) {
  Result<std::string> text = read_text_file(path);
  if (!text) return text.error();
  return plan_of(*text, path, [&text] { std::string().swap(*text); });
}

Failure save_plan(const Plan& plan, const std::string& path) {
  return write_text_file(path, plan_text(plan));
}

}  // namespace poet
