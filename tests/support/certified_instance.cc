#include "certified_instance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "poet/problem/certificate_json.h"
#include "poet/solve/write_certificate.h"
#include "poet/verify/certificate_check.h"
#include "solved_instances.h"

namespace poet::testing {
namespace {

Certificate certificate_of(const Problem& problem, ProofPart part) {
  Certificate certificate;
  certificate.instance = certified_instance(problem);
  certificate.parts.push_back(std::move(part));
  return certificate;
}

}  // namespace

void for_each_certified(
    const InstanceBlock& block,
    const std::function<void(const CertifiedInstance&, std::mt19937_64&)>& check) {
  for_each_solved(
      block, kCertifiedInstances,
      [&check](const Problem& problem, double cheapest, std::mt19937_64& random) {
        check({problem, make_step(problem), make_proof_step(problem), cheapest}, random);
      });
}

double rounding_of(double value, double ratio) {
  return ratio * std::max(1.0, std::abs(value));
}

std::optional<double> proved_by(const CertifiedInstance& instance, const ProofPart& part) {
  const std::string text = certificate_text(certificate_of(instance.problem, part));
  const Result<Certificate> read = parse_certificate(text, "c.json");
  EXPECT_TRUE(read.ok()) << to_string(read.error());
  if (!read.ok()) return std::nullopt;
  EXPECT_EQ(read->parts.front(), part);
  const CertificateCheck check = check_certificate(instance.problem, *read);
  if (!check.holds()) return std::nullopt;
  EXPECT_LE(check.proved_bound, instance.cheapest + rounding_of(instance.cheapest)) << text;
  return check.parts.front();
}

const LinearBackend& any_backend() {
  static const std::unique_ptr<LinearBackend> cbc = std::move(open_backend("cbc").value());
  return *cbc;
}

}  // namespace poet::testing
