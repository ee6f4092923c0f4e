// Recomputes what a certificate proves, from the problem alone (docs/model/certificates.md §1.1).
#include "poet/verify/certificate_check.h"

#include <algorithm>
#include <cmath>

#include "poet/base/json_out.h"
#include "poet/problem/facts.h"
#include "poet/verify/proof_step.h"
#include "poet/verify/walk_proof.h"
#include "poet/verify/window_proof.h"

namespace poet {
namespace {

constexpr double kCoverRounding = 1e-9;

// What tells the two apart first; nothing when nothing does.
std::optional<std::string> difference(const CertifiedInstance& a, const CertifiedInstance& b) {
  const auto optional_text = [](const auto& value, const std::string& unit) {
    return value ? json_line(JsonOut(*value)) + " " + unit : std::string("none");
  };
  const auto differ = [](const std::string& what, const std::string& here,
                         const std::string& there) { return what + " " + here + ", not " + there; };
  if (a.name != b.name) return differ("the problem", "'" + a.name + "'", "'" + b.name + "'");
  if (a.operations != b.operations)
    return differ("operations:", std::to_string(a.operations), std::to_string(b.operations));
  if (a.tensors != b.tensors)
    return differ("tensors:", std::to_string(a.tensors), std::to_string(b.tensors));
  if (a.ram_budget_bytes != b.ram_budget_bytes)
    return differ("a RAM budget of", std::to_string(a.ram_budget_bytes) + " bytes",
                  std::to_string(b.ram_budget_bytes) + " bytes");
  if (a.deadline_s != b.deadline_s)
    return differ("the deadline", optional_text(a.deadline_s, "s"),
                  optional_text(b.deadline_s, "s"));
  if (a.storage_capacity_bytes != b.storage_capacity_bytes)
    return differ("the storage capacity", optional_text(a.storage_capacity_bytes, "bytes"),
                  optional_text(b.storage_capacity_bytes, "bytes"));
  if (a.write_budget_bytes != b.write_budget_bytes)
    return differ("the write budget", optional_text(a.write_budget_bytes, "bytes"),
                  optional_text(b.write_budget_bytes, "bytes"));
  if (a.idle_w != b.idle_w)
    return differ("an idle power of", json_line(a.idle_w) + " W", json_line(b.idle_w) + " W");
  if (a.time_mode != b.time_mode)
    return differ("the time mode", std::string(name_of(kTimeModes, a.time_mode)),
                  std::string(name_of(kTimeModes, b.time_mode)));
  if (a.objective != b.objective)
    return differ("the objective", std::string(name_of(kObjectives, a.objective)),
                  std::string(name_of(kObjectives, b.objective)));
  const auto allowed = [](bool flag) { return std::string(flag ? "allowed" : "forbidden"); };
  if (a.paging_allowed != b.paging_allowed)
    return differ("paging", allowed(a.paging_allowed), allowed(b.paging_allowed));
  if (a.rematerialisation_allowed != b.rematerialisation_allowed)
    return differ("rematerialisation", allowed(a.rematerialisation_allowed),
                  allowed(b.rematerialisation_allowed));
  return std::nullopt;
}

}  // namespace

CertificateCheck check_certificate(const Problem& problem, const Certificate& certificate) {
  CertificateCheck check;
  const Unavoidable least = unavoidable(problem);
  check.unavoidable = problem.objective == Objective::Energy ? least.energy_j : least.time_s;
  check.proved_bound = check.unavoidable;
  if (const auto other = difference(certificate.instance, certified_instance(problem))) {
    check.fault = "it is about another problem: " + *other;
    return check;
  }
  if (!(certificate.compute_share >= 0 && certificate.compute_share <= 1)) {
    check.fault = "its share of the time of computation is not between 0 and 1";
    return check;
  }
  const ProofStep step = make_proof_step(problem, certificate.compute_share);
  for (std::size_t n = 0; n < certificate.parts.size(); ++n) {
    const Result<double> bound = std::visit(
        [&step](const auto& proof) { return bound_of(step, proof); }, certificate.parts[n]);
    if (!bound.ok() || !std::isfinite(*bound)) {
      check.fault = "part " + std::to_string(n) + ": " +
                    (bound.ok() ? "its bound is not finite" : bound.error().message);
      return check;
    }
    check.parts.push_back(*bound);
    check.proved_bound = std::max(check.proved_bound, *bound);
  }
  return check;
}

bool covers_claim(const CertificateCheck& check, const Certificate& certificate) {
  const double claimed = certificate.claimed_bound;
  return check.holds() && check.proved_bound >= claimed - kCoverRounding * std::abs(claimed);
}

}  // namespace poet
