#include "poet/ask/point_record.h"

#include <fmt/core.h>

#include "poet/base/json.h"
#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/problem/problem_json.h"
#include "poet/problem/schedule_json.h"
#include "poet/solve/event_choice.h"

namespace poet {
namespace {

constexpr WholeRange kCounts{0, std::int64_t{1} << 62};

void read_fields(MethodRun& run, JsonObject& object, JsonReader& reader) {
  run.outcome = object.choice("outcome", kOutcomes);
  run.why = object.text("why");
  run.best_of_its_kind = object.flag("best_of_its_kind");
  // Versions before them kept neither.
  if (object.has("evidence")) run.evidence = object.choice("evidence", kEvidenceNames);
  if (object.has("backend")) run.backend = object.text("backend");
  if (object.has("bound")) run.bound = object.number("bound", NumberRange::NotNegative);
  run.effort.nodes = object.whole("nodes", kCounts);
  run.effort.iterations = object.whole("iterations", kCounts);
  for (const JsonValue& note : object.list("notes")) run.notes.push_back(reader.text(note, "note"));
  run.plan_s = object.number("plan_s", NumberRange::NotNegative);
  // Versions before it did not say.
  if (object.has("ended_by_clock")) run.ended_by_clock = object.flag("ended_by_clock");
  if (object.has("schedule")) run.schedule = read_schedule(object.member("schedule"), reader);
}

// What the record says of the schedule must be so.
Failure judge(MethodRun& run, const Problem& problem) {
  if (run.fits() && !run.schedule)
    return Error{
        ErrorCode::BadInput,
        fmt::format("the record of {} says that its schedule fits, and has none", run.method),
        {}};
  if (!run.schedule) return std::nullopt;
  run.replay = replay(problem, *run.schedule);
  if (run.replay.valid() != run.fits() || !breaks_only_limits(run.replay))
    return Error{ErrorCode::BadInput,
                 fmt::format("the schedule of {} does not do what its record says", run.method),
                 {}};
  run.in_class = is_in_class(problem, *run.schedule);
  constexpr double kRounding = 1e-9;
  if (run.bound && run.fits() && run.in_class &&
      *run.bound > objective_of(problem, run.replay) * (1 + kRounding))
    return Error{ErrorCode::BadInput,
                 fmt::format("the bound of {} is above what its own schedule costs", run.method),
                 {}};
  return std::nullopt;
}

}  // namespace

namespace {

// Limits and what is made least are those of the point.
bool has_limits_of(Problem problem, const Problem& shared) {
  problem.name = shared.name;
  problem.operations = shared.operations;
  problem.tensors = shared.tensors;
  return problem == shared;
}

// The members of a run's record.
JsonOut run_json(const MethodRun& run) {
  JsonOut out = {{"format", "poet-point"}, {"version", 1}};
  out["outcome"] = name_of(kOutcomes, run.outcome);
  out["why"] = run.why;
  out["best_of_its_kind"] = run.best_of_its_kind;
  out["evidence"] = name_of(kEvidenceNames, run.evidence);
  out["backend"] = run.backend;
  if (run.bound) out["bound"] = *run.bound;
  out["nodes"] = run.effort.nodes;
  out["iterations"] = run.effort.iterations;
  out["notes"] = run.notes;
  out["plan_s"] = run.plan_s;
  out["ended_by_clock"] = run.ended_by_clock;
  if (run.schedule) out["schedule"] = schedule_to_json(*run.schedule);
  return out;
}

}  // namespace

std::string record_of(const MethodRun& run) {
  return json_line(run_json(run));
}

std::string record_of(const std::optional<OwnStep>& own, double plan_s, bool ended_by_clock) {
  JsonOut out = {{"format", "poet-own-step"}, {"version", 1}};
  out["plan_s"] = plan_s;
  out["ended_by_clock"] = ended_by_clock;
  if (!own) return json_line(out);
  out["problem"] = problem_to_json(own->problem);
  if (own->updates.asked) out["updates"] = name_of(kUpdates, *own->updates.asked);
  out["sliced"] = own->updates.sliced;
  if (own->parts.part_bytes) out["part_bytes"] = *own->parts.part_bytes;
  out["run"] = run_json(own->run);
  return json_line(out);
}

std::string record_of(const Error& error) {
  return json_line(JsonOut{{"format", "poet-point"}, {"version", 1}, {"error", to_string(error)}});
}

namespace {

// The error that a record holds in place of an answer; nothing where it holds none.
Failure error_in(JsonObject& object, JsonReader& reader, const std::string& place) {
  if (!object.has("error")) return std::nullopt;
  const std::string message = object.text("error");
  object.finish();
  if (reader.failure()) return *reader.failure();
  if (message.empty()) return Error{ErrorCode::BadInput, place + " has an empty error", {}};
  return Error{ErrorCode::Unsupported, message, {}};
}

Result<MethodRun> read_run(const JsonValue& value, const std::string& method,
                           const std::string& place, const Problem& problem) {
  JsonReader reader(place);
  JsonObject object(value, "a point", reader);
  object.format("poet-point", 1);
  if (Failure failure = error_in(object, reader, place)) return *failure;
  MethodRun run{.method = method};
  read_fields(run, object, reader);
  object.finish();
  if (reader.failure()) return *reader.failure();
  if (Failure failure = judge(run, problem)) return *failure;
  return run;
}

}  // namespace

Result<MethodRun> run_from_record(const std::string& text, const std::string& method,
                                  const Problem& problem) {
  const std::string place = "the record of " + method;
  const Result<JsonValue> value = parse_json(text, place);
  if (!value.ok()) return value.error();
  return read_run(*value, method, place, problem);
}

Result<OwnStepRecord> own_step_from_record(const std::string& text, const std::string& name,
                                           const Problem& shared) {
  const std::string place = "the record of " + name;
  const Result<JsonValue> value = parse_json(text, place);
  if (!value.ok()) return value.error();
  JsonReader reader(place);
  JsonObject object(*value, "a step", reader);
  object.format(object.has("error") ? "poet-point" : "poet-own-step", 1);
  if (Failure failure = error_in(object, reader, place)) return *failure;
  OwnStepRecord record{.run = {.method = name, .outcome = Outcome::Unsupported}};
  record.run.why = "no other step was found that costs less";
  record.run.plan_s = object.number("plan_s", NumberRange::NotNegative);
  record.run.ended_by_clock = object.flag("ended_by_clock");
  if (!object.has("run")) {
    object.finish();
    return reader.failure() ? Result<OwnStepRecord>(*reader.failure()) : std::move(record);
  }
  OwnStep step{.problem = read_problem(object.member("problem"), reader)};
  if (object.has("updates")) step.updates.asked = object.choice("updates", kUpdates);
  for (const JsonValue& weight : object.list("sliced"))
    step.updates.sliced.push_back(reader.text(weight, "a weight"));
  if (object.has("part_bytes"))
    step.parts.part_bytes = object.whole("part_bytes", {1, kCounts.max});
  step.parts.operations = std::ssize(step.problem.operations);
  const JsonValue& of_run = object.member("run");
  object.finish();
  if (reader.failure()) return *reader.failure();
  if (!has_limits_of(step.problem, shared))
    return Error{ErrorCode::BadInput, place + " is of other limits than its point", {}};
  Result<MethodRun> run = read_run(of_run, name, place, step.problem);
  if (!run.ok()) return run.error();
  if (!run->fits())
    return Error{ErrorCode::BadInput, place + " has a step without a schedule that fits", {}};
  run->plan_s = record.run.plan_s;
  run->ended_by_clock = record.run.ended_by_clock;
  step.run = *run;
  return OwnStepRecord{std::move(step), *std::move(run)};
}

}  // namespace poet
