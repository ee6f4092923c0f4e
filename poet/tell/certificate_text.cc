#include "poet/tell/certificate_text.h"

#include <fmt/core.h>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/time_mode.h"
#include "poet/report/figure_text.h"

namespace poet {
namespace {

std::string exact_amount(const Problem& problem, double value) {
  return fmt::format("{:.8g} {}", value, problem.objective == Objective::Energy ? "J" : "s");
}

// ", 0.9 % of the overhead below this one": of what no schedule is known to have to pay.
std::string distance(double objective, const CertificateCheck& check) {
  const double overhead = objective - check.unavoidable;
  const double gap = objective - check.proved_bound;
  if (gap <= 1e-9 * objective) return ", and this one needs no more";
  return fmt::format(", {} of the overhead below this one", percent_figure(gap / overhead));
}

// "event, cbc 2.10.8"
std::string claimant(const Certificate& certificate) {
  return one_line(certificate.claimed_by);
}

// Of transfers beside the processor something else is proved, which says it of them as well.
std::string proof_mode_clause(const Problem& problem, const Certificate& certificate) {
  if (proof_time_mode(problem.time_mode) == problem.time_mode) return "";
  return certificate.compute_share == 1
             ? ", even if transfers took no time"
             : ", even if computation and transfers never waited for each other";
}

// Where no bound is claimed: doubles leave a margin, which the exact checkers do not.
std::string refusal_sentence(const Problem& problem, const Replay& replay,
                             const Certificate& certificate) {
  constexpr const char* kExactly = "; poet-check-proof checks it exactly";
  if (certificate.claim == Claim::Infeasible)
    return "certificate: proves that there is no schedule" +
           proof_mode_clause(problem, certificate) + kExactly;
  std::string text =
      fmt::format("certificate: proves that no schedule of this step needs less than {} of RAM",
                  bytes_text(certificate.claimed_bytes)) +
      proof_mode_clause(problem, certificate);
  text += replay.peak_ram_bytes <= certificate.claimed_bytes
              ? ", and this one needs no more"
              : fmt::format(", and this one needs {}", bytes_text(replay.peak_ram_bytes));
  return text + kExactly;
}

}  // namespace

std::string certificate_sentence(const Problem& problem, const Replay& replay,
                                 const Certificate& certificate, const CertificateCheck& check) {
  if (certificate.claim != Claim::Bound) return refusal_sentence(problem, replay, certificate);
  std::string text = "certificate: proves that no schedule of this step needs less than " +
                     exact_amount(problem, check.proved_bound);
  text += proof_mode_clause(problem, certificate);
  if (!replay.moments.empty()) text += distance(objective_of(problem, replay), check);
  const std::string claim = exact_amount(problem, certificate.claimed_bound);
  const std::string claimed_by = claimant(certificate);
  if (covers_claim(check, certificate))
    return text + "; it covers the whole claim of " + claimed_by;
  return text + "; " + claimed_by + " claims " + claim +
         ", and the rest of that rests on a search that is not in the certificate";
}

std::string why_no_certificate(const PlanReport& report) {
  if (report.solve.method == "released") return "this formulation makes no certificate";
  if (report.solve.status != SolveStatus::Infeasible) return "nothing was found to be certified";
  return fmt::format(
      "that there is no schedule is the word of {} alone, of which no certificate can be made",
      report.solve.backend);
}

std::string why_no_certificate(const MinimumReport& report) {
  if (!report.plan && report.status != SolveStatus::Infeasible) return "no schedule was found";
  return fmt::format("what is claimed is the word of {} alone, of which no certificate can be made",
                     report.backend);
}

JsonOut certificate_to_json(const Certificate& certificate, const CertificateCheck& check) {
  JsonOut out = {{"holds", check.holds()}};
  if (check.fault) out["fault"] = *check.fault;
  const bool is_bound = certificate.claim == Claim::Bound;
  out["claim"] = name_of(kClaims, certificate.claim);
  if (is_bound)
    out["proved_bound"] = check.holds() ? JsonOut(check.proved_bound) : JsonOut(nullptr);
  if (is_bound) out["claimed_bound"] = certificate.claimed_bound;
  if (certificate.claim == Claim::LeastRam) out["claimed_bytes"] = certificate.claimed_bytes;
  out["claimed_by"] = certificate.claimed_by;
  out["covers_claim"] = covers_claim(check, certificate);
  out["proof_io"] = name_of(kTimeModes, proof_time_mode(certificate.instance.time_mode));
  JsonOut& parts = out["parts"] = JsonOut::array();
  for (std::size_t n = 0; n < check.parts.size(); ++n) {
    const bool walk = std::holds_alternative<WalkProof>(certificate.parts[n]);
    JsonOut part = {{"kind", walk ? "walk" : "windows"}, {"proved_bound", check.parts[n]}};
    if (!walk) {
      const WindowProof& proof = std::get<WindowProof>(certificate.parts[n]);
      part["nodes"] = proof.nodes.size();
      part["cuts"] = proof.cuts.size();
    }
    parts.push_back(std::move(part));
  }
  return out;
}

}  // namespace poet
