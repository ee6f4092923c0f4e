#include "poet/api/plan_check.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "poet/api/certificate_text.h"
#include "poet/api/status_name.h"
#include "poet/api/summary_text.h"
#include "poet/base/json_out.h"
#include "poet/plan/plan_file.h"
#include "poet/problem/certificate_json.h"
#include "poet/report/figure_text.h"

namespace poet {
namespace {

// Differences of less than this part of the objective are rounding.
constexpr double kRoundingRatio = 1e-9;

std::string unit_of(const Problem& problem) {
  return problem.objective == Objective::Energy ? "J" : "s";
}

double objective_of(const PlanCheck& check) {
  return check.plan.problem.objective == Objective::Energy ? check.replay.energy_j
                                                           : check.replay.time_s;
}

void check_claims(PlanCheck& check, bool own_mode) {
  const Plan& plan = check.plan;
  const std::optional<SolveStatus> status = value_of(kStatusNames, plan.proof.status);
  if (status != SolveStatus::Optimal && status != SolveStatus::Feasible)
    check.complaints.push_back(
        fmt::format("the plan claims the status '{}', but a plan is 'optimal' or 'feasible'",
                    plan.proof.status));
  const double objective = objective_of(check);
  const std::string unit = unit_of(plan.problem);
  if (own_mode && plan.proof.lower_bound > objective + kRoundingRatio * std::abs(objective))
    check.complaints.push_back(
        fmt::format("the plan claims that nothing is below {:.10g} {}, but it takes {:.10g} {}",
                    plan.proof.lower_bound, unit, objective, unit));
}

void check_buffers(PlanCheck& check) {
  if (!check.replay.valid()) return;  // only a valid schedule has buffers
  if (check.plan.buffers != buffers_of(check.plan.problem, check.plan.schedule))
    check.complaints.push_back("the plan's buffers are not those of its schedule");
}

std::string verdict_line(const PlanCheck& check) {
  if (check.valid()) return "valid: every rule is kept";
  if (check.plan_is_valid())
    return "the plan is valid: every rule is kept; the certificate is not valid for it";
  const std::int64_t wrong = std::ssize(check.replay.findings) + std::ssize(check.complaints);
  return fmt::format("not valid: {} found", counted(wrong, "fault"));
}

}  // namespace

PlanCheck check_plan(Plan plan, std::optional<TimeMode> io) {
  const bool own_mode = !io || *io == plan.problem.time_mode;
  if (io) plan.problem.time_mode = *io;
  PlanCheck check{.plan = std::move(plan), .replay = {}, .complaints = {}};
  check.replay = replay(check.plan.problem, check.plan.schedule);
  check_buffers(check);
  check_claims(check, own_mode);
  return check;
}

void check_certificate(PlanCheck& check, Certificate certificate) {
  check.certificate = std::move(certificate);
  check.certificate_check = check_certificate(check.plan.problem, *check.certificate);
  const CertificateCheck& proof = *check.certificate_check;
  if (proof.fault) {
    check.complaints.push_back("the certificate does not hold: " + *proof.fault);
    return;
  }
  const double objective = objective_of(check);
  const std::string unit = unit_of(check.plan.problem);
  if (check.replay.valid() && proof.proved_bound > objective + kRoundingRatio * objective)
    check.complaints.push_back(
        fmt::format("the certificate proves that nothing is below {:.10g} {}, but the plan takes "
                    "{:.10g} {}, which cannot both be",
                    proof.proved_bound, unit, objective, unit));
}

Result<PlanCheck> verify_plan_file(const std::string& path, std::optional<TimeMode> io,
                                   const std::optional<std::string>& certificate_path) {
  Result<Plan> plan = load_plan(path);
  if (!plan.ok()) return plan.error();
  if (!certificate_path) return check_plan(*std::move(plan), io);
  Result<Certificate> certificate = load_certificate(*certificate_path);
  if (!certificate.ok()) return certificate.error();
  PlanCheck check = check_plan(*std::move(plan), io);
  check_certificate(check, *std::move(certificate));
  return check;
}

std::string check_text(const PlanCheck& check) {
  std::string text = question_text(check.plan.origin, check.plan.problem) + "\n";
  text += verdict_line(check) + "\n\n";
  for (const Finding& finding : check.replay.findings) text += "  " + finding.message + "\n";
  for (const std::string& complaint : check.complaints) text += "  " + complaint + "\n";
  if (check.valid()) text += figures_text(check.plan.problem, check.replay);
  if (check.valid() && check.certificate)
    text += "\n" +
            certificate_sentence(check.plan.problem, objective_of(check), *check.certificate,
                                 *check.certificate_check) +
            "\n";
  return text;
}

JsonOut check_to_json(const PlanCheck& check) {
  const Replay& replay = check.replay;
  JsonOut findings = JsonOut::array();
  for (const Finding& finding : replay.findings) {
    JsonOut one = {{"action", finding.action}, {"message", finding.message}};
    if (finding.operation)
      one["operation"] = at(check.plan.problem.operations, *finding.operation).name;
    if (finding.tensor) one["tensor"] = at(check.plan.problem.tensors, *finding.tensor).name;
    one["bytes"] = finding.bytes;
    findings.push_back(std::move(one));
  }
  JsonOut out = {{"format", "poet-verification"},
                 {"version", 1},
                 {"valid", check.valid()},
                 {"plan_valid", check.plan_is_valid()},
                 {"findings", std::move(findings)},
                 {"complaints", check.complaints},
                 {"model", check.plan.origin.model},
                 {"platform", check.plan.origin.platform},
                 {"graph", check.plan.origin.graph},
                 {"io", name_of(kTimeModes, check.plan.problem.time_mode)},
                 {"energy_j", replay.energy_j},
                 {"compute_j", replay.compute_j},
                 {"page_in_j", replay.page_in_j},
                 {"page_out_j", replay.page_out_j},
                 {"idle_j", replay.idle_j},
                 {"time_s", replay.time_s},
                 {"compute_s", replay.compute_s},
                 {"stall_s", replay.stall_s},
                 {"peak_ram_bytes", replay.peak_ram_bytes},
                 {"ram_budget_bytes", check.plan.problem.ram_budget_bytes},
                 {"storage_bytes", replay.storage_bytes},
                 {"written_bytes", replay.written_bytes},
                 {"read_bytes", replay.read_bytes},
                 {"recomputed_operations", replay.recomputed_operations},
                 {"paged_tensors", replay.paged_tensors}};
  if (check.certificate)
    out["certificate"] = certificate_to_json(*check.certificate, *check.certificate_check);
  return out;
}

}  // namespace poet
