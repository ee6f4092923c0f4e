// A problem and a schedule are made from the bytes, most of them close to right. Whatever they are,
// the problem is judged, and the schedule of a well-formed problem is replayed in every time mode
// with figures that agree with each other.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "poet/base/check.h"
#include "poet/plan/plan.h"
#include "poet/plan/released_matrices.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"
#include "problem_from_bytes.h"

namespace {

using namespace poet;

Action take_action(FuzzedDataProvider& bytes, const Problem& problem) {
  const auto kind = bytes.ConsumeIntegralInRange<int>(0, 3);
  if (kind == 0)
    return Compute{OperationId{bytes.ConsumeIntegralInRange<std::int32_t>(
        -1, static_cast<std::int32_t>(problem.operations.size()))}};
  const TensorId tensor{bytes.ConsumeIntegralInRange<std::int32_t>(
      -1, static_cast<std::int32_t>(problem.tensors.size()))};
  if (kind == 1) return PageOut{tensor};
  if (kind == 2) return PageIn{tensor};
  return Drop{tensor};
}

// The plain schedule with some actions put in and taken out, or any actions at all.
Schedule take_schedule(FuzzedDataProvider& bytes, const Problem& problem) {
  Schedule schedule;
  if (bytes.ConsumeBool()) schedule = plain_schedule(problem);
  for (std::size_t i = 0; i < problem.tensors.size(); ++i)
    if (bytes.ConsumeIntegralInRange<int>(0, 15) == 1)
      schedule.resident.push_back(TensorId{static_cast<std::int32_t>(i)});
  while (bytes.remaining_bytes() > 0) {
    const auto place = static_cast<std::ptrdiff_t>(
        bytes.ConsumeIntegralInRange<std::size_t>(0, schedule.actions.size()));
    const auto at_place = schedule.actions.begin() + place;
    if (at_place != schedule.actions.end() && bytes.ConsumeIntegralInRange<int>(0, 3) == 0) {
      schedule.actions.erase(at_place);
    } else {
      schedule.actions.insert(at_place, take_action(bytes, problem));
    }
  }
  return schedule;
}

bool near(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

void check_figures(const Problem& problem, const Schedule& schedule, const Replay& replayed) {
  POET_CHECK(replayed.moments.size() == schedule.actions.size());
  POET_CHECK(near(replayed.energy_j,
                  replayed.compute_j + replayed.page_in_j + replayed.page_out_j + replayed.idle_j));
  POET_CHECK(replayed.time_s >= 0 && replayed.compute_s >= 0 &&
             replayed.stall_s >= -1e-9 * replayed.time_s);
  for (const Moment& moment : replayed.moments) {
    POET_CHECK(moment.begin_s <= moment.end_s);
    POET_CHECK(moment.ram_bytes <= replayed.peak_ram_bytes);
  }
  for (const Finding& finding : replayed.findings) POET_CHECK(!finding.message.empty());
  if (!replayed.valid()) return;
  POET_CHECK(replayed.peak_ram_bytes <= problem.ram_budget_bytes);
  POET_CHECK(largest_working_set(problem).bytes <= problem.ram_budget_bytes);
  released_matrices(problem, schedule, replayed, LossEdge::Once);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  Problem problem = fuzz::ProblemFromBytes(bytes, {}).take_problem();
  if (check_problem(problem)) return 0;
  const Schedule schedule = take_schedule(bytes, problem);
  buffers_of(problem, schedule);
  for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking, TimeMode::Overlapped}) {
    problem.time_mode = mode;
    check_figures(problem, schedule, replay(problem, schedule));
  }
  return 0;
}
