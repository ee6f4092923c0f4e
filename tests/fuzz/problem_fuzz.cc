// Whatever the bytes, a problem is read or refused in one line. What is read is well formed, reads
// back equal from its own text, and keeping everything is a valid schedule for it when the budget
// allows it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "poet/base/check.h"
#include "poet/problem/facts.h"
#include "poet/problem/problem_json.h"
#include "poet/verify/replay.h"

namespace {

using namespace poet;

void check_plain_schedule(Problem problem) {
  problem.ram_budget_bytes = plain_peak_bytes(problem);
  POET_CHECK(largest_working_set(problem).bytes <= problem.ram_budget_bytes);
  problem.deadline_s = {};
  problem.storage_capacity_bytes = {};
  problem.write_budget_bytes = {};
  if (problem.time_mode == TimeMode::Overlapped) problem.time_mode = TimeMode::Blocking;
  const Replay replayed = replay(problem, plain_schedule(problem));
  POET_CHECK(replayed.valid());
  POET_CHECK(replayed.peak_ram_bytes == problem.ram_budget_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Problem> problem = parse_problem(text, "fuzz.json");
  if (!problem.ok()) {
    const std::string message = to_string(problem.error());
    POET_CHECK(message.starts_with("fuzz.json:") && message.find('\n') == std::string::npos);
    return 0;
  }
  POET_CHECK(!check_problem(*problem));
  const Result<Problem> back = parse_problem(problem_text(*problem), "fuzz.json");
  POET_CHECK(back.ok() && *back == *problem);
  check_plain_schedule(*problem);
  return 0;
}
