// Better schedules by rebuilding parts of the best so far (docs/model/search.md §4.2).
#include "poet/solve/rebuild_search.h"

#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include "poet/solve/alike_stages.h"
#include "poet/solve/greedy_moves.h"

namespace poet {
namespace {

constexpr std::array<std::int32_t, 6> kWidths = {8, 16, 32, 64, 128, 256};
// Stages before and after in which stays may end as well.
constexpr std::int32_t kMargin = 20;
constexpr double kRounding = 1e-12;    // of the cost: no gain
constexpr double kUnitsPerTry = 2300;  // as Stop::count
constexpr double kUnitsPerStage = 5;   // of each part: it walks through what comes back anywhere

class Rebuilder {
 public:
  Rebuilder(const Step& step, const RebuildOptions& options, const Stop& stop, SearchState& state)
      : step_(step),
        stop_(stop),
        state_(state),
        random_(options.seed),
        moves_(step, ScheduleDraft(step, *state.answer.best), stop) {
    if (options.twins) alike_.emplace(step);
  }

  void run(std::int64_t most_tries) {
    // A part may take no tries at all.
    for (std::int64_t n = 0; n < most_tries && moves_.tries() < most_tries; ++n) {
      if (stop_.requested()) return;
      const std::int64_t tries_before = moves_.tries();
      const StageRange where = some_stages();
      const GreedyRule rule = some_rule();
      if (improve(where, rule) && alike_) improve_twins(where, rule, most_tries);
      stop_.count(kUnitsPerTry * static_cast<double>(moves_.tries() - tries_before) +
                  kUnitsPerStage * step_.stages());
    }
  }

 private:
  // What was better here may be better wherever the network repeats itself.
  void improve_twins(const StageRange& where, const GreedyRule& rule, std::int64_t most_tries) {
    for (const StageRange& twin : alike_->twins_of(where)) {
      if (moves_.tries() >= most_tries || stop_.requested()) return;
      improve(twin, rule);
    }
  }

  bool improve(const StageRange& where, const GreedyRule& rule) {
    const std::size_t mark = moves_.mark();
    if (!rebuild(where, rule)) {
      moves_.undo(mark);
      return false;
    }
    moves_.restore();
    state_.offer(moves_.draft().choice());
    return true;
  }

  bool rebuild(const StageRange& where, const GreedyRule& rule) {
    const double cost = moves_.draft().cost();
    if (!moves_.keep_all(where)) return false;
    const StageRange wider{where.begin - kMargin, where.end + kMargin};
    return moves_.fit(rule, wider, {.most_cost = cost * (1 - kRounding)});
  }

  StageRange some_stages() {
    const std::int32_t width = one_of(kWidths);
    const auto begin = static_cast<std::int32_t>(random_() % step_.operations.size());
    return {begin, std::min(begin + width, step_.stages())};
  }

  GreedyRule some_rule() {
    GreedyRule rule;
    rule.reads = one_of<bool, 2>({false, true});
    rule.haste = one_of<double, 3>({1.02, 1.1, 1.3});
    rule.near_full = one_of<double, 4>({0, 3, 8, 1000});
    return rule;
  }

  template <typename T, std::size_t N>
  T one_of(const std::array<T, N>& list) {
    return list[static_cast<std::size_t>(random_() % N)];
  }

  const Step& step_;
  const Stop& stop_;
  SearchState& state_;
  std::mt19937_64 random_;
  std::optional<AlikeStages> alike_;
  GreedyMoves moves_;
};

}  // namespace

void rebuild_parts(const Step& step, const RebuildOptions& options, const Stop& stop,
                   SearchState& state) {
  if (!state.has_best()) return;
  const std::vector<bool>& resident = state.answer.best->resident;
  if (std::find(resident.begin(), resident.end(), true) != resident.end()) return;
  Rebuilder(step, options, stop, state).run(options.most_tries);
}

}  // namespace poet
