// That the class has no schedule, as a bound above 0 where nothing costs anything
// (docs/model/certificates.md §7.3).
#include "poet/solve/certify_impossible.h"

#include <utility>

#include "poet/problem/facts.h"
#include "poet/solve/event_search.h"
#include "poet/solve/infeasibility.h"
#include "poet/solve/least_budget.h"
#include "poet/solve/smaller_model.h"
#include "poet/solve/step.h"
#include "poet/solve/window_player.h"
#include "poet/solve/window_refinement.h"
#include "poet/solve/write_certificate.h"

namespace poet {
namespace {

// Steps with more operations have window models and relaxations that are too large for a proof.
constexpr std::int32_t kMostStages = 4'000;
// Window models that are looked at for one without a solution; each gets as many nodes as the proof
// gets relaxations.
constexpr int kMostModels = 20;
// What a tree of cases is asked for, in units of its model: breaking a row costs a million. Any
// bound above 0 is a proof, and this one no rounding takes away.
constexpr double kTarget = 1;
constexpr double kLeastBound = 1e-3;
// A byte of 2^20 is less than a backend tells apart.
constexpr double kTightened = 1e-5;
// Parts of the time that is left.
constexpr double kKeysShare = 0.3;
constexpr double kWindowsShare = 0.6;

class ImpossibilityProof {
 public:
  ImpossibilityProof(const Problem& problem, const Impossible& asked, const LinearBackend& backend,
                     const CertifyLimits& limits, const Stop& stop)
      : costless_(claimed_instance(problem, asked.claim, asked.claimed_bytes)),
        backend_(backend),
        limits_(limits),
        stop_(stop) {
    certificate_.instance = certified_instance(problem);
    certificate_.claim = asked.claim;
    certificate_.claimed_bytes = asked.claimed_bytes;
  }

  std::optional<Certificate> run(const Impossible& asked) {
    if (sums_say_it()) return std::move(certificate_);
    step_ = make_step(costless_);
    if (step_.stages() > kMostStages) return std::nullopt;
    if (asked.by_cases && prove_by_cases(asked.keys)) return std::move(certificate_);
    if (prove_by_walk()) return std::move(certificate_);
    return std::nullopt;
  }

 private:
  // The working set first: with_figures of the others a search for what works comes along.
  bool sums_say_it() const {
    return largest_working_set(costless_).bytes > costless_.ram_budget_bytes ||
           plainly_infeasible(costless_);
  }

  bool prove_by_cases(const std::optional<WindowKeys>& known) {
    if (known && prove_at(*known)) return true;
    const std::optional<WindowKeys> keys = look_for_keys();
    return keys && keys != known && prove_at(*keys);
  }

  // A tree that ends by itself and proves nothing may have kept what breaks a budget by a byte.
  bool prove_at(const WindowKeys& keys) {
    CertifyLimits limits = limits_;
    for (const double tightened_ratio : {0.0, kTightened}) {
      limits.tightened_ratio = tightened_ratio;
      CertifiedWindows windows =
          certify_windows(step_, keys, 1, kTarget, backend_, limits, part_of(stop_, kWindowsShare));
      if (windows.bound >= kLeastBound) {
        certificate_.parts = {std::move(windows.proof)};
        return true;
      }
      if (windows.relaxations >= limits.most_relaxations || stop_.requested()) return false;
    }
    return false;
  }

  // From coarse to fine, as the search for the least budget does (least_budget.cc): what needs
  // least RAM at the keys that there are says where else to look, until nothing fits.
  std::optional<WindowKeys> look_for_keys() const {
    const Stop sooner = part_of(stop_, kKeysShare);
    WindowKeys keys = first_keys(step_);
    for (int n = 0; n < kMostModels && !sooner.requested(); ++n) {
      const WindowModel model = model_within_budget(keys);
      IntegerLimits limits;
      limits.max_nodes = limits_.most_relaxations;
      const IntegerAnswer solved =
          solve_smaller(make_smaller(model.linear), backend_, limits, sooner, {});
      if (!has_values(solved)) return keys;
      const EventChoice choice = choice_of(step_, model, solved.values);
      WindowKeys next =
          refined_keys(step_, keys, without_waste(step_, choice), Refinement::Careful);
      if (next == keys) return std::nullopt;
      keys = std::move(next);
    }
    return std::nullopt;
  }

  WindowModel model_within_budget(const WindowKeys& keys) const {
    WindowModel model =
        make_window_model(step_, keys, {.objective = EventObjective::RamBudget, .margins = true});
    // Without what no sum of sizes fills, which is more than the margins of its rows give away.
    const std::int64_t unit_bytes = gcd_of_sizes(step_);
    model.linear.columns[*model.budget].upper =
        static_cast<double>(step_.budget_bytes / unit_bytes * unit_bytes) / model.byte_unit;
    return model;
  }

  // What bounds the RAM of every schedule charges for the bytes of each event, and for more of them
  // than the budget has.
  bool prove_by_walk() {
    SearchGoal goal;
    goal.objective = EventObjective::RamBudget;
    goal.max_nodes = 0;
    goal.max_iterations = limits_.most_iterations;
    goal.keeps_sources = true;
    const SearchAnswer answer = search_events(step_, goal, backend_, std::nullopt, stop_, {});
    const std::optional<WalkSource>& walk = answer.sources.walk;
    if (!walk || walk->bound <= static_cast<double>(step_.budget_bytes)) return false;
    certificate_.parts = {walk_proof_of(step_, *walk)};
    return true;
  }

  const Problem costless_;
  Step step_ = {};
  const LinearBackend& backend_;
  const CertifyLimits& limits_;
  const Stop& stop_;
  Certificate certificate_ = {};
};

}  // namespace

std::optional<Certificate> certify_impossible(const Problem& problem, const Impossible& asked,
                                              const LinearBackend& backend,
                                              const CertifyLimits& limits, const Stop& stop) {
  return ImpossibilityProof(problem, asked, backend, limits, stop).run(asked);
}

}  // namespace poet
