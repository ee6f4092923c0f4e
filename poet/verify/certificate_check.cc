// Recomputes what a certificate proves, from the problem alone (docs/model/certificates.md §1.1).
#include "poet/verify/certificate_check.h"

#include <algorithm>
#include <cmath>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/problem/deadline.h"
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
  if (a.name != b.name) return differ("the problem", in_quotes(a.name), in_quotes(b.name));
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

// Sums over the problem say that no schedule keeps its limits (docs/model/search.md §7.1).
bool sums_exceed_a_limit(const Problem& problem) {
  if (largest_working_set(problem).bytes > problem.ram_budget_bytes) return true;
  if (problem.deadline_s && !within_deadline(unavoidable(problem).time_s, *problem.deadline_s))
    return true;
  std::int64_t home_bytes = 0, updated_bytes = 0;
  for (const Tensor& tensor : problem.tensors) {
    if (tensor.home == Home::Storage && !tensor.view_of) home_bytes += tensor.size_bytes;
    if (!tensor.updates) continue;
    const Tensor& old = at(problem.tensors, *tensor.updates);
    if (old.home == Home::Storage && !old.may_be_resident) updated_bytes += tensor.size_bytes;
  }
  if (problem.storage_capacity_bytes && home_bytes > *problem.storage_capacity_bytes) return true;
  const std::optional<std::int64_t> room_bytes = write_room_bytes(problem);
  return room_bytes && updated_bytes > *room_bytes;
}

}  // namespace

CertificateCheck check_certificate(const Problem& about, const Certificate& certificate) {
  CertificateCheck check;
  const bool is_bound = certificate.claim == Claim::Bound;
  const Problem problem =
      is_bound ? about : claimed_instance(about, certificate.claim, certificate.claimed_bytes);
  check.unavoidable = is_bound ? unavoidable_objective(about) : 0;
  check.proved_bound = check.unavoidable;
  if (const auto other = difference(certificate.instance, certified_instance(about))) {
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
  check.impossible = !is_bound && (check.proved_bound > 0 || sums_exceed_a_limit(problem));
  return check;
}

bool covers_claim(const CertificateCheck& check, const Certificate& certificate) {
  if (certificate.claim != Claim::Bound) return check.holds() && check.impossible;
  const double claimed = certificate.claimed_bound;
  return check.holds() && check.proved_bound >= claimed - kCoverRounding * std::abs(claimed);
}

}  // namespace poet
