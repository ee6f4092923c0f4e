#include <algorithm>
#include <optional>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/number_text.h"
#include "poet/model/released_networks.h"
#include "poet/plan/plan_file.h"
#include "poet/plan/released_matrices.h"
#include "poet/problem/facts.h"
#include "poet/service/route_answers.h"
#include "poet/service/service.h"
#include "poet/service/upload.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// What the released service calls its parameters, and what ours are.
struct ReleasedName {
  std::string_view released;
  std::string_view ours;
};
constexpr ReleasedName kNames[] = {
    {"model", "model"},
    {"platform", "platform"},
    {"ram_budget", "ram_budget"},
    {"runtime_budget", "runtime_budget"},
    {"paging", "paging"},
    {"remat", "remat"},
    {"mem_power_scale", "mem_power_scale"},
    {"batch_size", "batch_size"},
    {"solver", "solver"},
    {"time_limit_s", "time_limit_s"},
    {"solve_threads", "solve_threads"},
    {"formulation", "formulation"},
};

ServiceError wrong(std::string message, std::string field) {
  return {.message = std::move(message), .field = std::move(field)};
}

// Bytes as the released service takes them: any number, of which the fraction does not matter.
std::optional<ServiceError> settle_ram_budget(std::string& text) {
  const Result<double> bytes = read_number(text, Zero::Allowed);
  if (!bytes.ok()) return service_error(bytes.error(), "ram_budget");
  if (*bytes >= 4e18) return wrong("the RAM budget does not fit in 62 bits", "ram_budget");
  text = std::to_string(static_cast<std::int64_t>(*bytes));
  return std::nullopt;
}

// A limit above what this service gives is that limit, as no limit is there.
void settle_limit(FieldTexts& texts, const std::string& name, double most) {
  const auto given = texts.find(name);
  const Result<double> value =
      given == texts.end() ? Result<double>(most) : read_number(given->second, Zero::Allowed);
  if (!value.ok() || *value < most) return;
  texts[name] = json_line(most == static_cast<double>(static_cast<std::int64_t>(most))
                              ? JsonOut(static_cast<std::int64_t>(most))
                              : JsonOut(most));
}

// The released way to say solver=gurobi, which may not stand beside another solver.
std::optional<ServiceError> settle_solver(const HttpRequest& request, FieldTexts& texts) {
  for (const auto& [name, text] : request.query) {
    if (name != "use_actual_gurobi") continue;
    const Result<bool> wanted = read_switch(text);
    if (!wanted.ok()) return service_error(wanted.error(), name);
    if (!*wanted) continue;
    if (texts.try_emplace("solver", "gurobi").first->second != "gurobi")
      return wrong("'use_actual_gurobi' and 'solver' name two solvers", name);
  }
  return std::nullopt;
}

std::optional<ServiceError> settle_fields(const HttpRequest& request, const QuestionLimits& limits,
                                          FieldTexts& texts) {
  for (const auto& [name, text] : request.query) {
    if (name != "use_actual_gurobi") texts[name] = text;
  }
  if (auto error = settle_solver(request, texts)) return error;
  for (const char* const needed : {"model", "platform", "ram_budget", "runtime_budget"})
    if (!texts.contains(needed)) return wrong(std::string(needed) + " is needed", needed);
  if (auto error = settle_ram_budget(texts["ram_budget"])) return error;
  const Result<double> ratio = read_number(texts["runtime_budget"], Zero::Refused);
  if (!ratio.ok()) return service_error(ratio.error(), "runtime_budget");
  settle_limit(texts, "time_limit_s", limits.most_time_s);
  settle_limit(texts, "solve_threads", limits.most_threads);
  const auto& table = released_network_table();
  const bool known = std::any_of(table.begin(), table.end(), [&texts](const ReleasedNetwork& row) {
    return row.name == texts["model"];
  });
  if (known) texts["graph"] = "released";
  return std::nullopt;
}

JsonOut matrices_to_json(const Plan& plan) {
  const Replay replayed = replay(plan.problem, plan.schedule);
  const ReleasedMatrices matrices =
      released_matrices(plan.problem, plan.schedule, replayed, LossEdge::Twice);
  return {{"R", matrices.r},      {"SRam", matrices.s_ram}, {"SSd", matrices.s_sd},
          {"Min", matrices.m_in}, {"Mout", matrices.m_out}, {"FreeE", matrices.free_e},
          {"U", matrices.u_bytes}};
}

JsonOut no_matrices() {
  JsonOut none;
  for (const char* const name : {"R", "SRam", "SSd", "Min", "Mout", "FreeE", "U"})
    none[name] = nullptr;
  return none;
}

HttpResponse released_answer(const JobQuestion& question, const JsonOut& result,
                             const std::optional<Plan>& plan) {
  const PlanRequest& asked = question.asked;
  const bool feasible = plan.has_value();
  const auto figure = [&result, feasible](const char* name) {
    return feasible ? result[name] : JsonOut(nullptr);
  };
  JsonOut solution = plan ? matrices_to_json(*plan) : no_matrices();
  const std::string status = result.text_or("status", "");
  solution["finished"] = status == "optimal" || status == "infeasible";
  solution["feasible"] = feasible;
  solution["solve_time_s"] = result["solve_s"];
  JsonOut page = nullptr;
  if (feasible) page = result.number_or("page_in_j", 0) + result.number_or("page_out_j", 0);
  const JsonOut answer = {{"ram_budget", std::get<RamBytes>(*asked.ram_budget).bytes},
                          {"runtime_budget_ms", result["deadline_s"]},
                          {"paging", asked.paging ? 1 : 0},
                          {"remat", asked.rematerialisation ? 1 : 0},
                          {"total_power_cost_page", page},
                          {"total_power_cost_cpu", figure("compute_j")},
                          {"total_runtime", figure("compute_s")},
                          {"feasible", feasible},
                          {"solution", std::move(solution)}};
  return {.body = json_line(answer) + "\n"};
}

HttpResponse answer_of_job(Service& service, const JobQuestion& question, const StoredJob& job) {
  if (job.result.empty() || job.state == JobState::Failed) {
    const JsonOut error = json_of_text(job.error);
    const std::string code = error.is_object() ? error.text_or("code", "internal") : "cancelled";
    return error_response({.status = status_of_failed(code),
                           .code = code,
                           .message = error.is_object() ? error.text_or("message", "it failed")
                                                        : "it was cancelled"});
  }
  const Result<std::optional<std::string>> text = service.store().file(job.id, "plan");
  if (!text.ok()) return internal_error(text.error());
  std::optional<Plan> plan;
  if (*text) {
    Result<Plan> parsed = parse_plan(**text, "the plan");
    if (!parsed.ok()) return internal_error(parsed.error());
    plan = *std::move(parsed);
  }
  return released_answer(question, json_of_text(job.result), plan);
}

enum class Waited { Ended, TooLong, Stopping, ClientLeft };

// For a job to end, as long as somebody is there to hear of it.
Waited wait_for_end(Service& service, const HttpRequest& request, const std::string& id) {
  const double most_s = service.options().solve_wait_s;
  for (double waited_s = 0; waited_s < most_s; waited_s += kLookForClientS) {
    if (service.queue().wait_for_end(id, std::min(kLookForClientS, most_s - waited_s)))
      return Waited::Ended;
    if (service.queue().stopping()) return Waited::Stopping;
    if (request.is_given_up()) return Waited::ClientLeft;
  }
  return Waited::TooLong;
}

std::optional<ServiceError> why_no_answer(Waited waited, const std::string& id) {
  switch (waited) {
    case Waited::Ended:
      return std::nullopt;
    case Waited::TooLong:
      return ServiceError{
          .status = 504, .code = "timeout", .message = "it takes longer; ask for /v1/plans/" + id};
    case Waited::Stopping:
      return ServiceError{
          .status = 503, .code = "unavailable", .message = "the service is stopping"};
    case Waited::ClientLeft:
      break;
  }
  return ServiceError{
      .status = 499, .code = "client_left", .message = "the client has closed its connection"};
}

// Submits the question, and is counted among those who wait for it.
HttpResponse begin_to_wait(Service& service, const Caller& caller, const JobQuestion& question) {
  const WaitedJobs::Lock held = service.waited().hold();
  const std::string id = question_id(question);
  const bool is_first = !service.queue().may_want(id, share_of(caller));
  HttpResponse submitted = submit_job(service, caller, question);
  if (submitted.status < 400) service.waited().wait(held, id, share_of(caller), is_first);
  return submitted;
}

// A job that only those wanted who have hung up leaves the queue, or ends with its best.
void end_to_wait(Service& service, const Caller& caller, const std::string& id, Waited waited) {
  const WaitedJobs::Lock held = service.waited().hold();
  const Share share = share_of(caller);
  // It was told what to ask for.
  if (waited == Waited::TooLong) return service.waited().keep(held, id, share);
  const bool unwanted = service.waited().leave(held, id, share) && waited == Waited::ClientLeft;
  // A store that cannot note it finds the job again when the service begins anew.
  if (unwanted) static_cast<void>(service.queue().cancel(id, share));
}

HttpResponse answer_when_done(Service& service, const RoutedRequest& routed,
                              const JobQuestion& question) {
  const HttpRequest& request = routed.http;
  const std::string id = question_id(question);
  const Result<std::optional<JobView>> before = service.queue().view(id);
  if (!before.ok()) return internal_error(before.error());
  const bool waits = !*before || (*before)->job.state != JobState::Done;
  // Before any work is begun for who could not be told of it.
  const WaitingPlaces::Place place = waits ? service.places().take(request.address) : nullptr;
  if (waits && !place)
    return no_place_to_wait("POST /v1/plans does not wait, and answers the same");
  HttpResponse submitted = begin_to_wait(service, routed.caller, question);
  if (submitted.status >= 400) return submitted;
  const Waited waited = wait_for_end(service, request, id);
  end_to_wait(service, routed.caller, id, waited);
  if (const auto error = why_no_answer(waited, id)) return error_response(*error);
  const Result<std::optional<JobView>> view = service.queue().view(id);
  if (!view.ok()) return internal_error(view.error());
  if (!*view) return error_response(not_found("the job is gone"));
  return answer_of_job(service, question, (*view)->job);
}

}  // namespace

const std::vector<RequestField>& released_fields() {
  static const std::vector<RequestField> fields = [] {
    std::vector<RequestField> rows;
    for (const ReleasedName& name : kNames) rows.push_back(*find_field(name.ours));
    rows.push_back({.name = "use_actual_gurobi",
                    .type = FieldType::Switch,
                    .what = "the released way to say solver=gurobi",
                    .words = {}});
    return rows;
  }();
  return fields;
}

HttpResponse get_solve(Service& service, const RoutedRequest& request) {
  FieldTexts texts;
  if (auto error = settle_fields(request.http, service.options().questions, texts))
    return error_response(*error);
  const QuestionOrError asked = read_plan_question(texts, service.options().questions);
  if (const ServiceError* const error = std::get_if<ServiceError>(&asked))
    return error_response(*error);
  const JobQuestion& question = std::get<JobQuestion>(asked);
  if (question.asked.graph != GraphKind::Released)
    return error_response(wrong(in_quotes(texts["model"]) + " has no released graph", "model"));
  return answer_when_done(service, request, question);
}

}  // namespace poet
