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

}  // namespace

std::string certificate_sentence(const Problem& problem, double objective,
                                 const Certificate& certificate, const CertificateCheck& check) {
  std::string text = "certificate: proves that no schedule needs less than " +
                     exact_amount(problem, check.proved_bound);
  if (proof_time_mode(problem.time_mode) != problem.time_mode)
    text += certificate.compute_share == 1
                ? ", even if transfers took no time"
                : ", even if computation and transfers never waited for each other";
  text += distance(objective, check);
  const std::string claim = exact_amount(problem, certificate.claimed_bound);
  const std::string claimed_by = one_line(certificate.claimed_by);
  if (covers_claim(check, certificate))
    return text + "; it covers the whole claim of " + claimed_by;
  return text + "; " + claimed_by + " claims " + claim +
         ", and the rest of that rests on a search that is not in the certificate";
}

JsonOut certificate_to_json(const Certificate& certificate, const CertificateCheck& check) {
  JsonOut out = {{"holds", check.holds()}};
  if (check.fault) out["fault"] = *check.fault;
  out["proved_bound"] = check.holds() ? JsonOut(check.proved_bound) : JsonOut(nullptr);
  out["claimed_bound"] = certificate.claimed_bound;
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
