#pragma once

#include <string>

#include "poet/ask/proof_kind.h"

namespace poet {

// By what kind of proof something is so: "proved in exact arithmetic", "proved within the margin of
// doubles", or whose word it is: "by cbc 2.10.8, without certificate".
inline std::string proof_words(ProofKind proof, const std::string& backend) {
  if (proof == ProofKind::Exact) return "proved in exact arithmetic";
  if (proof == ProofKind::Margin) return "proved within the margin of doubles";
  return "by " + (backend.empty() ? "the search" : backend) + ", without certificate";
}

// The same before " after 2 s".
inline std::string proof_clause(ProofKind proof, const std::string& backend) {
  return proof_words(proof, backend) + (proof == ProofKind::Backend ? "," : "");
}

// The same of evidence that was not looked at again: "proved by sums over the problem", or whose
// word it is. None: of what an older version found.
inline std::string evidence_words(Evidence evidence, const std::string& backend) {
  if (evidence == Evidence::Arithmetic) return "proved by sums over the problem";
  if (evidence == Evidence::Certificate) return "proved by a certificate";
  if (evidence == Evidence::None) return "by an older version, which kept no evidence";
  return proof_words(ProofKind::Backend, backend);
}

}  // namespace poet
