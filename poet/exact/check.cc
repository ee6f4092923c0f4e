// What a certificate proves of a problem and a plan, exactly, also in one word
// (docs/model/certificates.md §6).
#include "poet/exact/check.h"

#include <algorithm>
#include <optional>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/exact/step.h"
#include "poet/exact/uncertainty.h"
#include "poet/exact/walk.h"
#include "poet/exact/windows.h"

namespace poet::exact {
namespace {

// --- whether the certificate is about the problem ------------------------------------------------

template <typename T>
std::string text_or_none(const std::optional<T>& value) {
  return value ? json_line(JsonOut(*value)) : "none";
}

std::optional<std::string> difference(const Certificate& certificate, const Problem& problem) {
  const Problem& stated = certificate.instance;
  const auto differ = [](const std::string& what, const std::string& there,
                         const std::string& here) -> std::optional<std::string> {
    if (there == here) return std::nullopt;
    return "it is about another problem: " + what + " " + there + ", not " + here;
  };
  const auto whole = [](auto value) { return std::to_string(value); };
  const auto allowed = [](bool flag) { return std::string(flag ? "allowed" : "forbidden"); };
  if (auto no = differ("the name", in_quotes(stated.name), in_quotes(problem.name))) return no;
  if (auto no =
          differ("operations:", whole(certificate.operations), whole(problem.operations.size())))
    return no;
  if (auto no = differ("tensors:", whole(certificate.tensors), whole(problem.tensors.size())))
    return no;
  if (auto no =
          differ("bytes of RAM:", whole(stated.ram_budget_bytes), whole(problem.ram_budget_bytes)))
    return no;
  if (auto no = differ("seconds of the deadline:", text_or_none(stated.deadline_s),
                       text_or_none(problem.deadline_s)))
    return no;
  if (auto no = differ("bytes of storage:", text_or_none(stated.storage_capacity_bytes),
                       text_or_none(problem.storage_capacity_bytes)))
    return no;
  if (auto no = differ("bytes that may be written:", text_or_none(stated.write_budget_bytes),
                       text_or_none(problem.write_budget_bytes)))
    return no;
  if (auto no = differ("watts of idle power:", json_line(JsonOut(stated.idle_w)),
                       json_line(JsonOut(problem.idle_w))))
    return no;
  if (auto no = differ("the time mode", std::string(name_of(kTimeModes, stated.time_mode)),
                       std::string(name_of(kTimeModes, problem.time_mode))))
    return no;
  if (auto no = differ("the objective", std::string(name_of(kObjectives, stated.objective)),
                       std::string(name_of(kObjectives, problem.objective))))
    return no;
  if (auto no = differ("paging", allowed(stated.paging_allowed), allowed(problem.paging_allowed)))
    return no;
  return differ("rematerialisation", allowed(stated.rematerialisation_allowed),
                allowed(problem.rematerialisation_allowed));
}

// --- what is proved ------------------------------------------------------------------------------

void check_parts(const Problem& problem, const Certificate& certificate, ProofCheck& check) {
  StepOptions options{.compute_share = certificate.compute_share,
                      .costs_nothing = check.claim != Claim::Bound,
                      .ram_budget_bytes = problem.ram_budget_bytes};
  if (check.claim == Claim::LeastRam) options.ram_budget_bytes = check.claimed_bytes - 1;
  const Step step = make_step(problem, options);
  for (std::size_t n = 0; n < certificate.parts.size(); ++n) {
    Result<Number> bound = std::visit([&step](const auto& part) { return bound_of(step, part); },
                                      certificate.parts[n]);
    if (!bound.ok()) {
      check.fault = "part " + std::to_string(n) + ": " + bound.error().message;
      return;
    }
    check.proved = std::max(check.proved, *bound);
    check.parts.push_back(*std::move(bound));
  }
}

// --- files ---------------------------------------------------------------------------------------

struct Subject {
  Problem problem = {};
  std::optional<Schedule> schedule = {};
};

// A plan has more members than these; who executes it looks at them.
Subject read_subject(const JsonValue& value, JsonReader& reader) {
  const auto* const members = std::get_if<JsonMembers>(&value.data);
  const auto member = [members](std::string_view key) -> const JsonValue* {
    if (members == nullptr) return nullptr;
    for (const JsonMember& one : *members)
      if (one.key == key) return &one.value;
    return nullptr;
  };
  const JsonValue* const format = member("format");
  const auto* const name = format ? std::get_if<std::string>(&format->data) : nullptr;
  if (name == nullptr || *name != "poet-plan") return {read_problem(value, reader), {}};
  JsonObject object(value, "the plan", reader);
  object.format("poet-plan", 1);
  Subject subject{read_problem(object.member("problem"), reader), {}};
  if (!reader.failure()) subject.schedule = read_schedule(object.member("schedule"), reader);
  return subject;
}

}  // namespace

bool ProofCheck::proves_claim() const {
  if (fault) return false;
  if (claim == Claim::Bound) return proved >= claimed;
  if (claim == Claim::LeastRam && claimed_bytes == 0) return true;
  return impossible || proved > 0;
}

bool ProofCheck::holds() const {
  if (fault || (plan && plan->fault)) return false;
  return claim == Claim::Bound || proves_claim();
}

std::optional<Number> ProofCheck::gap() const {
  if (claim != Claim::Bound || fault || !plan || plan->fault) return std::nullopt;
  return Number(plan->objective - proved);
}

ProofCheck check_proof(const Problem& problem, const Certificate& certificate,
                       const std::optional<Schedule>& schedule) {
  ProofCheck check;
  check.claim = certificate.claim;
  check.objective = problem.objective;
  check.unavoidable = unavoidable_objective(problem);
  check.claimed = number_of(certificate.claimed_bound);
  check.claimed_bytes = certificate.claimed_bytes;
  if (schedule) check.plan = replay(problem, *schedule);
  check.fault = difference(certificate, problem);
  if (!check.fault) check.fault = deadline_fault(problem);
  if (check.fault) return check;
  if (check.claim == Claim::Bound) {
    check.proved = check.unavoidable;
  } else if (check.claim == Claim::Infeasible) {
    check.impossible = plainly_impossible(problem, problem.ram_budget_bytes);
  } else {
    check.impossible = plainly_impossible(problem, check.claimed_bytes - 1);
  }
  check_parts(problem, certificate, check);
  return check;
}

Result<ProofCheck> check_proof(const std::optional<NamedText>& subject,
                               const NamedText& certificate) {
  Subject about;
  if (subject) {
    const Result<JsonValue> json = parse_json(subject->text, subject->file);
    if (!json) return json.error();
    JsonReader reader(subject->file);
    about = read_subject(*json, reader);
    if (reader.failure()) return *reader.failure();
  }
  const Result<JsonValue> json = parse_json(certificate.text, certificate.file);
  if (!json) return json.error();
  JsonReader reader(certificate.file);
  const Certificate proof = read_certificate(*json, reader);
  if (reader.failure()) return *reader.failure();
  if (!subject && !proof.problem)
    return bad_input(
        "the certificate does not carry its problem; give the plan or the problem as "
        "well",
        {certificate.file});
  return check_proof(subject ? about.problem : *proof.problem, proof, about.schedule);
}

bool holds_exactly(std::string_view plan, std::string_view certificate, double gap) {
  const std::optional<NamedText> subject =
      plan.empty() ? std::nullopt : std::optional(NamedText{plan, "the plan"});
  const Result<ProofCheck> check = check_proof(subject, {certificate, "the certificate"});
  if (!check.ok() || !check->holds()) return false;
  if (check->claim != Claim::Bound) return true;
  const std::optional<Number> open = check->gap();
  return open && *open <= number_of(gap);
}

}  // namespace poet::exact
