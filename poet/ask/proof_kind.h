#pragma once

#include <optional>

#include "poet/base/named.h"
#include "poet/plan/plan.h"
#include "poet/problem/certificate.h"
#include "poet/solve/solver.h"

namespace poet {

// How what an answer calls optimal, impossible or least was shown to be so; each is weaker than the
// one before it.
enum class ProofKind {
  None,     // nothing of that kind is said
  Exact,    // checked in rational numbers, without a margin, before the answer was given
  Margin,   // checked in doubles, within the margins of docs/model/certificates.md §4.1; what it
            // takes longer to check exactly than an answer should wait is for `poet-check-proof`
  Backend,  // only the word of the library that searched
};

inline constexpr Named<ProofKind> kProofKindNames[] = {
    {"none", ProofKind::None},
    {"exact", ProofKind::Exact},
    {"margin", ProofKind::Margin},
    {"backend", ProofKind::Backend},
};

// What proves an answer, once the verifier has accepted it.
struct Proved {
  Evidence evidence = Evidence::None;
  std::optional<Certificate> certificate = {};  // where there is one, of sums too
  const Plan* plan = nullptr;                   // none where the certificate carries its problem
  double allowed_gap = 0;                       // above the bound, of a plan that is called optimal
};

// Exact where the plan and its certificate are small enough to be checked at once, and hold.
ProofKind proof_kind(const Proved& proved);

// What sums over the problem alone say, as a certificate: what no schedule can save, or that there
// is none.
Certificate bound_by_sums(const Problem& problem);
Certificate no_schedule_by_sums(const Problem& problem);

}  // namespace poet
