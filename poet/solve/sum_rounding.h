#pragma once

namespace poet {

// What a sum of products in doubles may be off by, as a part of the absolute values of its terms. A
// sum of n terms, each rounded once itself, is off by at most n u of them, u = 2^-53 (Higham,
// Accuracy and Stability of Numerical Algorithms, 2002, §4.2): 1e-12 is 9,007 u, so it holds for
// any 9,000 terms; where errors are of both signs they grow with the root of n, and it holds for 80
// million. Bounds are lowered by it and comparisons of sums leave it open (docs/model/numbers.md
// §1.5). The checker of certificates has the same margin by itself (poet/verify/proof_sum.h), and
// shares nothing with the search.
inline constexpr double kSumRounding = 1e-12;

}  // namespace poet
