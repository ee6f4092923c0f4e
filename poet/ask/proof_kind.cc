#include "poet/ask/proof_kind.h"

#include <string>

#include "poet/exact/check.h"
#include "poet/plan/plan_file.h"
#include "poet/problem/certificate_json.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

// What takes a tenth of a second (bench/certificates/refusals.md).
constexpr std::size_t kMostOperations = 1'000;
constexpr std::size_t kMostBytes = 1024 * 1024;

bool is_proved_exactly(const Proved& proved) {
  const Certificate& certificate = *proved.certificate;
  if (static_cast<std::size_t>(certificate.instance.operations) > kMostOperations) return false;
  const std::string text = certificate_text(certificate);
  if (text.size() > kMostBytes) return false;
  const std::string plan = proved.plan ? plan_text(*proved.plan) : "";
  return exact::holds_exactly(plan, text, proved.allowed_gap);
}

}  // namespace

ProofKind proof_kind(const Proved& proved) {
  if (proved.evidence == Evidence::None) return ProofKind::None;
  if (proved.evidence == Evidence::Backend) return ProofKind::Backend;
  return proved.certificate && is_proved_exactly(proved) ? ProofKind::Exact : ProofKind::Margin;
}

Certificate bound_by_sums(const Problem& problem) {
  Certificate sums;
  sums.instance = certified_instance(problem);
  sums.claimed_bound = unavoidable_objective(problem);
  return sums;
}

Certificate no_schedule_by_sums(const Problem& problem) {
  Certificate sums;
  sums.instance = certified_instance(problem);
  sums.claim = Claim::Infeasible;
  sums.problem = problem;
  return sums;
}

}  // namespace poet
