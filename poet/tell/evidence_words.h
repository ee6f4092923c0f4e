#pragma once

#include <string>

#include "poet/solve/solver.h"

namespace poet {

// "proved" where anybody can check it: by sums over the problem, or by a certificate that the
// verifier recomputed. Otherwise whose word it is: "by cbc 2.10.8, without certificate".
inline std::string proof_words(Evidence evidence, const std::string& backend) {
  if (evidence != Evidence::Backend) return "proved";
  return "by " + (backend.empty() ? "the search" : backend) + ", without certificate";
}

inline std::string proof_words(const SolveReport& solved) {
  return proof_words(solved.evidence, solved.backend);
}

// The same before " after 2 s".
inline std::string proof_clause(Evidence evidence, const std::string& backend) {
  return proof_words(evidence, backend) + (evidence == Evidence::Backend ? "," : "");
}

}  // namespace poet
