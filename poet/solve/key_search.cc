// Keys of window models, chosen by the relaxations of the models (docs/model/windows.md §3).
#include "poet/solve/key_search.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "poet/solve/proved_bound.h"
#include "poet/solve/side_by_side.h"
#include "poet/solve/smaller_model.h"

namespace poet {
namespace {

constexpr std::int32_t kPlaces = 32;  // over the step, where a new key is tried
constexpr std::int32_t kFewStages = 250;
constexpr std::size_t kMostKeys = 6;
// What a change must raise the relaxation by, as a part of itself; and what a key that goes may
// lower it by.
constexpr double kLeastRise = 1e-4;

// How many models are solved side by side before the search goes through their answers: a fixed
// number, since what it then does not come to was for nothing.
constexpr std::size_t kLookedAtOnce = 16;

using Stages = std::vector<std::int32_t>;

// At the relaxation of one model.
struct Look {
  double bound = -kInfinity;   // as the backend says: it is what keys are chosen by
  double proved = -kInfinity;  // by its multipliers
  std::int64_t columns = 0;
  std::int64_t iterations = 0;
  double effort = 0;  // as Stop::count
};

class KeySearch {
 public:
  KeySearch(const Step& step, const WindowKeys& keys, const KeySearchOptions& options,
            const LinearBackend& backend, const Stop& stop)
      : step_(step),
        options_(options),
        backend_(backend),
        columns_left_(options.most_columns),
        stop_(stop),
        distance_(step.stages() <= kFewStages ? 1 : step.stages() / kPlaces) {
    found_.keys.stages = keys.stages;
    found_.bound = -kInfinity;
  }

  FoundKeys run() {
    take_if_better(found_.keys.stages);
    while (!is_over() && found_.keys.stages.size() < kMostKeys) {
      if (!add_key()) break;
      move_keys();
      leave_keys_out();
    }
    return found_;
  }

 private:
  bool is_over() const { return stop_.requested() || columns_left_ <= 0; }

  // The best of some places.
  bool add_key() {
    std::vector<Stages> candidates;
    for (const std::int32_t t : places()) {
      candidates.push_back(found_.keys.stages);
      candidates.back().push_back(t);
    }
    bool better = false;
    for (std::size_t n = 0; n < candidates.size() && !is_over(); ++n) {
      if (n % kLookedAtOnce == 0) look_ahead(candidates, n);
      better = take_if_better(candidates[n]) || better;
    }
    return better;
  }

  // Every stage where there are few; else some over the step, and more near the keys.
  std::vector<std::int32_t> places() const {
    std::vector<std::int32_t> stages;
    for (std::int32_t t = 0; t < step_.stages(); t += distance_) stages.push_back(t);
    for (const std::int32_t key : found_.keys.stages)
      for (std::int32_t away = 1; away < distance_; away *= 2)
        for (const std::int32_t t : {key - away, key + away})
          if (0 <= t && t < step_.stages()) stages.push_back(t);
    return stages;
  }

  void move_keys() {
    for (std::int32_t by = distance_ / 2; by >= 1; by /= 2)
      for (std::size_t j = 0; j < found_.keys.stages.size(); ++j) move_key(j, by);
  }

  void move_key(std::size_t j, std::int32_t by) {
    if (j >= found_.keys.stages.size()) return;
    std::vector<Stages> ways(2, found_.keys.stages);
    ways[0][j] = std::max(ways[0][j] - by, 0);
    ways[1][j] = std::min(ways[1][j] + by, step_.stages() - 1);
    look_ahead(ways, 0);
    if (!take_if_better(ways[0])) take_if_better(ways[1]);
  }

  // Smaller models are solved sooner.
  void leave_keys_out() {
    for (std::size_t j = 0; j < found_.keys.stages.size() && found_.keys.stages.size() > 1; ++j) {
      Stages stages = found_.keys.stages;
      stages.erase(stages.begin() + static_cast<std::ptrdiff_t>(j));
      take(stages, -kLeastRise);
    }
  }

  bool take_if_better(const Stages& stages) { return take(stages, kLeastRise); }

  // `least_gain`: as a part of the bound.
  bool take(const Stages& stages, double least_gain) {
    if (is_over()) return false;
    const WindowKeys keys{in_order(stages), {}};
    const Look look = counted(keys.stages);
    const bool is_first = bound_ == -kInfinity;
    if (!is_first && look.bound <= bound_ + least_gain * std::max(0.0, bound_)) return false;
    found_.keys = keys;
    found_.bound = look.proved;
    bound_ = look.bound;
    return true;
  }

  static Stages in_order(Stages stages) {
    std::sort(stages.begin(), stages.end());
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    return stages;
  }

  // A look counts when the search comes to it, wherever it was taken.
  Look counted(const Stages& stages) {
    const auto ahead = ahead_.find(stages);
    const Look look = ahead != ahead_.end() ? ahead->second : relax(stages);
    columns_left_ -= look.columns;
    stop_.count(look.effort);
    ++found_.relaxations;
    found_.iterations += look.iterations;
    return look;
  }

  // Takes the looks that the search is likely to come to, side by side: some of the list, from
  // `first` on. With one thread nothing is gained.
  void look_ahead(const std::vector<Stages>& list, std::size_t first) {
    if (options_.threads <= 1) return;
    ahead_.clear();
    for (std::size_t n = first; n < std::min(list.size(), first + kLookedAtOnce); ++n)
      ahead_[in_order(list[n])] = Look{};
    std::vector<std::pair<const Stages*, Look*>> looks;
    for (auto& [stages, look] : ahead_) looks.push_back({&stages, &look});
    run_side_by_side(std::ssize(looks), options_.threads,
                     [this, &looks](std::int64_t n) { *looks[n].second = relax(*looks[n].first); });
  }

  Look relax(const Stages& stages) const {
    const WindowModel model = make_window_model(step_, {stages, {}}, options_.model);
    const SmallerModel smaller = make_smaller(model.linear);
    Look look{.columns = std::ssize(model.linear.columns)};
    if (smaller.infeasible) return look;  // others will find out as well
    const double constant = smaller.constant_cost + model.constant_cost;
    if (smaller.linear.columns.empty()) {
      look.bound = look.proved = constant * model.cost_unit;
      return look;
    }
    const Stop apart = counted_apart(stop_);
    const RelaxationAnswer relaxed = backend_.relax(smaller.linear)->solve(apart);
    look.effort = apart.counted();
    look.iterations = relaxed.iterations;
    if (relaxed.status == LinearStatus::Optimal) {
      look.bound = (relaxed.objective + constant) * model.cost_unit;
      look.proved =
          (bound_proved_by(relaxed.row_duals, smaller.linear) + constant) * model.cost_unit;
    }
    return look;
  }

  const Step& step_;
  KeySearchOptions options_;
  const LinearBackend& backend_;
  std::int64_t columns_left_;
  const Stop& stop_;
  std::int32_t distance_;         // between the places of new keys
  std::map<Stages, Look> ahead_;  // looks taken before the search comes to them
  FoundKeys found_;
  double bound_ = -kInfinity;  // of the keys found, as the backend says
};

}  // namespace

FoundKeys search_keys(const Step& step, const WindowKeys& keys, const KeySearchOptions& options,
                      const LinearBackend& backend, const Stop& stop) {
  return KeySearch(step, keys, options, backend, stop).run();
}

}  // namespace poet
