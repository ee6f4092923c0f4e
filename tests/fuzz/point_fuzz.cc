// Whatever the bytes, a stored point of a sweep is read or refused in one line, and what is read
// has a schedule that was replayed, and reads back equal from its own record; so is an own step.
#include <cstddef>
#include <cstdint>
#include <string>

#include "poet/ask/point_record.h"
#include "poet/base/check.h"

namespace {

using namespace poet;

// Two operations, one tensor each, and a budget that both can break.
Problem small_problem() {
  Problem problem;
  problem.ram_budget_bytes = 3;
  problem.tensors = {{.name = "a", .size_bytes = 2}, {.name = "b", .size_bytes = 2}};
  problem.operations = {{.name = "a", .outputs = {TensorId{0}}, .compute_j = 1, .compute_s = 1},
                        {.name = "b",
                         .inputs = {TensorId{0}},
                         .outputs = {TensorId{1}},
                         .compute_j = 1,
                         .compute_s = 1}};
  return problem;
}

void read_own_step(const std::string& text, const Problem& shared) {
  const Result<OwnStepRecord> own = own_step_from_record(text, "step", shared);
  if (!own.ok()) {
    POET_CHECK(!own.error().message.empty());
    return;
  }
  if (!own->step) return;
  POET_CHECK(own->run.fits() && own->run.replay.valid());
  const std::string record = record_of(own->step, own->run.plan_s, own->run.ended_by_clock);
  const Result<OwnStepRecord> back = own_step_from_record(record, "step", shared);
  POET_CHECK(back.ok() && back->step && back->step->problem == own->step->problem);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Problem problem = small_problem();
  read_own_step(text, problem);
  const Result<MethodRun> run = run_from_record(text, "method", problem);
  if (!run.ok()) {
    POET_CHECK(!run.error().message.empty());
    return 0;
  }
  POET_CHECK(run->fits() == (run->schedule && run->replay.valid()));
  const Result<MethodRun> back = run_from_record(record_of(*run), "method", problem);
  POET_CHECK(back.ok() && back->schedule == run->schedule && back->outcome == run->outcome);
  return 0;
}
