// Whatever the bytes, a certificate is read or refused in one line, what is read reads back equal
// from its own text, and what the verifier takes from it is not above what a schedule needs.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "poet/base/check.h"
#include "poet/problem/certificate_json.h"
#include "poet/verify/certificate_check.h"

namespace {

using namespace poet;

TensorId tensor(std::int32_t id) {
  return TensorId{id};
}

// The example of docs/formats/problem.md, which can be done with 0.0151 J.
constexpr double kPossible = 0.0151;

Problem tiny() {
  Problem problem;
  problem.name = "tiny";
  problem.tensors.push_back(
      {.name = "image", .size_bytes = 300, .home = Home::Storage, .page_in_j = 0.0003});
  problem.tensors[0].page_in_s = 0.001;
  for (const auto* const name : {"a", "b", "loss", "gb", "ga"}) {
    Tensor& made = problem.tensors.emplace_back();
    made.name = name;
    made.size_bytes = made.name == "loss" ? 4 : 600;
    if (made.name == "loss") continue;
    made.page_in_j = 0.0006;
    made.page_out_j = 0.0009;
    made.page_in_s = 0.002;
    made.page_out_s = 0.003;
  }
  problem.operations = {
      {.inputs = {tensor(0)}, .outputs = {tensor(1)}, .compute_j = 0.01, .compute_s = 0.02},
      {.inputs = {tensor(1)}, .outputs = {tensor(2)}, .compute_j = 0.001, .compute_s = 0.002},
      {.inputs = {tensor(2)}, .outputs = {tensor(3)}, .compute_j = 0.0001, .compute_s = 0.001},
      {.inputs = {tensor(2), tensor(3)},
       .outputs = {tensor(4)},
       .compute_j = 0.0002,
       .compute_s = 0.001},
      {.inputs = {tensor(1), tensor(4)},
       .outputs = {tensor(5)},
       .compute_j = 0.002,
       .compute_s = 0.003,
       .in_place = InPlace{tensor(4), tensor(5)}}};
  problem.ram_budget_bytes = 1300;
  problem.deadline_s = 0.05;
  return problem;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<Certificate> certificate = parse_certificate(text, "fuzz.json");
  if (!certificate.ok()) {
    const std::string message = to_string(certificate.error());
    POET_CHECK(message.starts_with("fuzz.json:") && message.find('\n') == std::string::npos);
    return 0;
  }
  const Result<Certificate> back = parse_certificate(certificate_text(*certificate), "fuzz.json");
  POET_CHECK(back.ok() && *back == *certificate);
  static const Problem problem = tiny();
  certificate->instance = certified_instance(problem);
  const CertificateCheck check = check_certificate(problem, *certificate);
  POET_CHECK(!check.holds() || check.proved_bound <= kPossible * (1 + 1e-9));
  return 0;
}
