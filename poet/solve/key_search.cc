#include "poet/solve/key_search.h"

#include <algorithm>
#include <vector>

#include "poet/solve/smaller_model.h"

namespace poet {
namespace {

constexpr std::int32_t kPlaces = 32;  // over the step, where a new key is tried
constexpr std::int32_t kFewStages = 250;
constexpr std::size_t kMostKeys = 6;
// What a change must raise the relaxation by, as a part of itself; and what a key that goes may
// lower it by.
constexpr double kLeastGain = 1e-4;

class KeySearch {
 public:
  KeySearch(const Step& step, const WindowKeys& keys, double cost_unit,
            const LinearBackend& backend, std::int64_t most_columns, const Stop& stop)
      : step_(step),
        cost_unit_(cost_unit),
        backend_(backend),
        columns_left_(most_columns),
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
    const std::vector<std::int32_t> before = found_.keys.stages;
    bool better = false;
    for (const std::int32_t t : places()) {
      std::vector<std::int32_t> stages = before;
      stages.push_back(t);
      better = take_if_better(stages) || better;
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
      for (std::size_t j = 0; j < found_.keys.stages.size(); ++j)
        for (const std::int32_t way : {-by, by}) {
          std::vector<std::int32_t> stages = found_.keys.stages;
          if (j >= stages.size()) break;
          stages[j] = std::clamp(stages[j] + way, 0, step_.stages() - 1);
          if (take_if_better(stages)) break;
        }
  }

  // Smaller models are solved sooner.
  void leave_keys_out() {
    for (std::size_t j = 0; j < found_.keys.stages.size() && found_.keys.stages.size() > 1; ++j) {
      std::vector<std::int32_t> stages = found_.keys.stages;
      stages.erase(stages.begin() + static_cast<std::ptrdiff_t>(j));
      take(stages, -kLeastGain);
    }
  }

  bool take_if_better(const std::vector<std::int32_t>& stages) { return take(stages, kLeastGain); }

  // `least_gain`: as a part of the bound.
  bool take(std::vector<std::int32_t> stages, double least_gain) {
    std::sort(stages.begin(), stages.end());
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    if (is_over()) return false;
    const WindowKeys keys{stages, {}};
    const double bound = relax(keys);
    const bool is_first = found_.bound == -kInfinity;
    if (!is_first && bound <= found_.bound + least_gain * std::max(0.0, found_.bound)) return false;
    found_.keys = keys;
    found_.bound = bound;
    return true;
  }

  double relax(const WindowKeys& keys) {
    const WindowModel model = make_window_model(step_, keys, cost_unit_);
    const SmallerModel smaller = make_smaller(model.linear);
    columns_left_ -= static_cast<std::int64_t>(model.linear.columns.size());
    ++found_.relaxations;
    if (smaller.infeasible) return -kInfinity;  // others will find out as well
    const double constant = smaller.constant_cost + model.constant_cost;
    if (smaller.linear.columns.empty()) return constant * cost_unit_;
    const RelaxationAnswer relaxed = backend_.relax(smaller.linear)->solve(stop_);
    found_.iterations += relaxed.iterations;
    if (relaxed.status != LinearStatus::Optimal) return -kInfinity;
    return (relaxed.objective + constant) * cost_unit_;
  }

  const Step& step_;
  double cost_unit_;
  const LinearBackend& backend_;
  std::int64_t columns_left_;
  const Stop& stop_;
  std::int32_t distance_;  // between the places of new keys
  FoundKeys found_;
};

}  // namespace

FoundKeys search_keys(const Step& step, const WindowKeys& keys, double cost_unit,
                      const LinearBackend& backend, std::int64_t most_columns, const Stop& stop) {
  return KeySearch(step, keys, cost_unit, backend, most_columns, stop).run();
}

}  // namespace poet
