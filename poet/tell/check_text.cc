#include "poet/tell/check_text.h"

#include <fmt/core.h>

#include "poet/base/json_out.h"
#include "poet/problem/facts.h"
#include "poet/report/figure_text.h"
#include "poet/tell/certificate_text.h"
#include "poet/tell/step_words.h"
#include "poet/tell/summary_text.h"

namespace poet {
namespace {

std::string verdict_line(const PlanCheck& check) {
  if (check.valid()) return "valid: every rule is kept";
  if (check.plan_is_valid())
    return "the plan is valid: every rule is kept; the certificate is not valid for it";
  const std::int64_t wrong = std::ssize(check.replay.findings) + std::ssize(check.complaints);
  return fmt::format("not valid: {} found", counted(wrong, "fault"));
}

}  // namespace

std::string check_text(const PlanCheck& check) {
  std::string text = question_text(check.plan.origin, check.plan.problem) + "\n";
  text += verdict_line(check) + "\n\n";
  for (const Finding& finding : check.replay.findings) text += "  " + finding.message + "\n";
  for (const std::string& complaint : check.complaints) text += "  " + complaint + "\n";
  if (check.valid()) text += figures_text(check.plan.problem, check.replay);
  if (check.valid() && check.certificate)
    text += "\n" +
            certificate_sentence(check.plan.problem, check.replay, *check.certificate,
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
  const bool has_energies = knows_energies(check.plan.problem);
  const auto energy = [&replay, has_energies](double Replay::*field) {
    return has_energies ? JsonOut(replay.*field) : JsonOut(nullptr);
  };
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
                 {"energy_j", energy(&Replay::energy_j)},
                 {"compute_j", energy(&Replay::compute_j)},
                 {"page_in_j", energy(&Replay::page_in_j)},
                 {"page_out_j", energy(&Replay::page_out_j)},
                 {"idle_j", energy(&Replay::idle_j)},
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
  add_memories(out, check.plan.problem, replay);
  add_uncertainty(out, check.plan.problem, replay.worst_case);
  if (check.certificate)
    out["certificate"] = certificate_to_json(*check.certificate, *check.certificate_check);
  return out;
}

}  // namespace poet
