// Plays every operation once; the schedule without rematerialisation that docs/model/problem.md §2
// compares with.
#include "poet/methods/keep_everything.h"

#include <variant>

#include "poet/methods/proposals.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

class KeepEverything final : public Solver {
 public:
  explicit KeepEverything(bool frees) : frees_(frees) {}

  std::string_view name() const override { return frees_ ? "keep-all" : "keep-all-unfreed"; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions&, const Stop&,
                            const ProgressSink&) const override {
    Schedule schedule = plain_schedule(problem);
    if (!frees_)
      std::erase_if(schedule.actions,
                    [](const Action& action) { return std::holds_alternative<Drop>(action); });
    Proposals proposals(problem);
    proposals.offer(schedule);
    return proposals.report(name());
  }

 private:
  bool frees_;
};

}  // namespace

std::unique_ptr<Solver> make_keep_everything() {
  return std::make_unique<KeepEverything>(true);
}

std::unique_ptr<Solver> make_keep_everything_without_freeing() {
  return std::make_unique<KeepEverything>(false);
}

}  // namespace poet
