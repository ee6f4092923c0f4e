#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "poet/problem/certificate.h"
#include "poet/problem/problem.h"

namespace poet {

// What a certificate proves, by the verifier's own arithmetic.
struct CertificateCheck {
  // Why it proves nothing, in one sentence: it is about another problem, or broken.
  std::optional<std::string> fault = {};
  double unavoidable = 0;  // what every schedule has, without any proof
  // Of the claim Bound: no schedule of the class has less; at least `unavoidable`. Of the others:
  // the same where nothing costs anything, so above 0 there is no schedule.
  double proved_bound = 0;
  std::vector<double> parts = {};  // what each part proves
  bool impossible = false;         // of the other claims: the class has no schedule as they say

  bool holds() const { return !fault; }
};

// Recomputes the bound from the problem and the multipliers alone.
CertificateCheck check_certificate(const Problem& problem, const Certificate& certificate);

// The bound is what the solver claims, up to rounding: a 10^-9 part of it; or there is no schedule
// as it claims.
bool covers_claim(const CertificateCheck& check, const Certificate& certificate);

}  // namespace poet
