#include "poet/ask/plan_check.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "poet/ask/status_name.h"
#include "poet/base/message_text.h"
#include "poet/plan/plan_file.h"
#include "poet/problem/certificate_json.h"

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

// A certificate that there is no schedule, or none in less RAM, beside a plan.
void check_refusal(PlanCheck& check) {
  const Certificate& certificate = *check.certificate;
  const bool least_ram = certificate.claim == Claim::LeastRam;
  const std::string claim =
      least_ram ? fmt::format("that no schedule of this step needs less than {} of RAM",
                              bytes_text(certificate.claimed_bytes))
                : "that there is no schedule";
  if (!check.certificate_check->impossible) {
    check.complaints.push_back(
        fmt::format("the certificate does not prove {} within the margin of doubles; whether it "
                    "does exactly, poet-check-proof says",
                    claim));
    return;
  }
  if (!check.replay.valid()) return;
  if (!least_ram)
    check.complaints.push_back(
        fmt::format("the certificate proves {}, but the plan is one, which cannot both be", claim));
  else if (check.replay.peak_ram_bytes < certificate.claimed_bytes)
    check.complaints.push_back(
        fmt::format("the certificate proves {}, but the plan needs {}, which cannot both be", claim,
                    bytes_text(check.replay.peak_ram_bytes)));
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
  if (check.certificate->claim != Claim::Bound) {
    check_refusal(check);
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

Result<PlanCheck> verify_plan_text(std::string_view text, const std::string& file,
                                   std::optional<TimeMode> io) {
  Result<Plan> plan = parse_plan(text, file);
  if (!plan.ok()) return plan.error();
  return check_plan(*std::move(plan), io);
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

}  // namespace poet
