// Whatever the bytes, the exact checker reads or refuses them in one line, as a certificate and as
// a plan; and no certificate proves more of the example than its plan needs, nor that it cannot be.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "poet/base/check.h"
#include "poet/exact/check.h"
#include "poet/exact/proof_text.h"

namespace {

using namespace poet;

// The example of docs/formats/plan.md.
constexpr std::string_view kPlan = R"({"format": "poet-plan", "version": 1, "problem": {
 "format": "poet-problem", "version": 1, "name": "tiny", "ram_budget_bytes": 1300, "deadline_s": 0.05, "tensors": [
  {"size_bytes": 300, "home": "storage", "page_in_j": 0.0003, "page_in_s": 0.001},
  {"size_bytes": 600, "page_in_j": 0.0006, "page_out_j": 0.0009, "page_in_s": 0.002, "page_out_s": 0.003},
  {"size_bytes": 600, "page_in_j": 0.0006, "page_out_j": 0.0009, "page_in_s": 0.002, "page_out_s": 0.003},
  {"size_bytes": 4},
  {"size_bytes": 600, "page_in_j": 0.0006, "page_out_j": 0.0009, "page_in_s": 0.002, "page_out_s": 0.003},
  {"size_bytes": 600, "page_in_j": 0.0006, "page_out_j": 0.0009, "page_in_s": 0.002, "page_out_s": 0.003}],
 "operations": [
  {"inputs": [0], "outputs": [1], "compute_j": 0.01, "compute_s": 0.02},
  {"inputs": [1], "outputs": [2], "compute_j": 0.001, "compute_s": 0.002},
  {"inputs": [2], "outputs": [3], "compute_j": 0.0001, "compute_s": 0.001},
  {"inputs": [2, 3], "outputs": [4], "compute_j": 0.0002, "compute_s": 0.001},
  {"inputs": [1, 4], "outputs": [5], "compute_j": 0.002, "compute_s": 0.003, "in_place": {"input": 4, "output": 5}}]},
 "schedule": {"format": "poet-schedule", "version": 1, "actions": [
  ["page_in", 0], ["compute", 0], ["drop", 0], ["page_out", 1], ["compute", 1], ["drop", 1], ["compute", 2],
  ["compute", 3], ["drop", 2], ["drop", 3], ["page_in", 1], ["compute", 4], ["drop", 4], ["drop", 1], ["drop", 5]]}})";
constexpr std::string_view kNothing = R"({"format": "poet-certificate", "version": 1, "instance": {
 "name": "tiny", "operations": 5, "tensors": 6, "ram_budget_bytes": 1300, "deadline_s": 0.05, "time_mode": "blocking",
 "objective": "energy", "paging_allowed": true, "rematerialisation_allowed": true}, "proof_time_mode": "blocking",
 "claimed_bound": 0, "claimed_by": "", "parts": []})";

void expect_one_line(const Error& error) {
  const std::string message = to_string(error);
  POET_CHECK(message.starts_with("fuzz.json") && message.find('\n') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto proof = exact::check_proof(exact::NamedText{kPlan, "plan.json"}, {text, "fuzz.json"});
  if (proof.ok()) {
    POET_CHECK(!proof_text(*proof).empty());
    POET_CHECK(proof->plan && !proof->plan->fault);
    if (proof->claim == exact::Claim::Bound && !proof->fault)
      POET_CHECK(proof->proved <= proof->plan->objective);
    if (proof->claim == exact::Claim::Infeasible) POET_CHECK(!proof->proves_claim());
    if (proof->claim == exact::Claim::LeastRam && proof->proves_claim())
      POET_CHECK(proof->claimed_bytes <= proof->plan->peak_ram_bytes);
  } else {
    expect_one_line(proof.error());
  }
  const auto plan = exact::check_proof(exact::NamedText{text, "fuzz.json"}, {kNothing, "c.json"});
  if (!plan.ok()) expect_one_line(plan.error());
  return 0;
}
