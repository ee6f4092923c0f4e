#pragma once

#include <functional>
#include <optional>
#include <random>

#include "instance_block.h"
#include "poet/problem/certificate.h"
#include "poet/problem/problem.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/step.h"
#include "poet/verify/proof_step.h"
#include "random_cases.h"

namespace poet::testing {

// A random instance as the solver sees it, and as the verifier of certificates does.
struct CertifiedInstance {
  Problem problem;
  Step step;
  ProofStep proof_step;
  double cheapest = 0;  // the oracle's objective
};

// Calls `check` with instances that have a schedule until one of them fails.
constexpr int kCertifiedInstances = random_cases(250);
void for_each_certified(
    const InstanceBlock& block,
    const std::function<void(const CertifiedInstance&, std::mt19937_64&)>& check);

// Instances' figures are multiples of 1/8.
double rounding_of(double value, double ratio = 1e-9);

// What the verifier takes from the part, through the file, as a user's certificate comes. Fails
// where it is above the optimum; nothing where it is refused, for a refusal is no answer.
std::optional<double> proved_by(const CertifiedInstance& instance, const ProofPart& part);

const LinearBackend& any_backend();

}  // namespace poet::testing
