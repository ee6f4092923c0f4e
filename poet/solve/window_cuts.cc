// Cuts for a window model before a backend solves it (docs/model/windows.md §4).
#include "poet/solve/window_cuts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "poet/solve/proved_bound.h"
#include "poet/solve/window_paths.h"

namespace poet {
namespace {

constexpr std::size_t kPathsPerRound = 200;
constexpr std::size_t kRoundingsPerRound = 12;
constexpr std::size_t kFewPaths = 20;  // beside which roundings are looked for as well
constexpr double kLeastPathViolation = 0.02;

constexpr int kMostCutRounds = 40;
constexpr int kMostStalledRounds = 4;
// A round that raises the relaxation by less than this part of itself has stalled.
constexpr double kLeastRise = 5e-4;

class CutLoop {
 public:
  CutLoop(WindowModel& model, const Step& step, const LinearBackend& backend)
      : model_(model), step_(step), backend_(backend), rows_(inequalities_of(model)) {}

  CutRounds run(const Stop& stop) {
    LinearModel linear = model_.linear;
    const std::unique_ptr<Relaxation> relaxation = backend_.relax(linear);
    double best = -kInfinity;
    for (int stalls = 0; rounds_.relaxations < kMostCutRounds && !stop.requested();) {
      const RelaxationAnswer relaxed = relaxation->solve(stop);
      ++rounds_.relaxations;
      rounds_.iterations += relaxed.iterations;
      if (relaxed.status != LinearStatus::Optimal) break;
      rounds_.bound = std::max(rounds_.bound, bound_proved_by(relaxed.row_duals, linear));
      keep_binding(linear, relaxed.row_duals);
      if (relaxed.objective - best < kLeastRise * std::abs(best) && ++stalls > kMostStalledRounds)
        break;
      best = std::max(best, relaxed.objective);
      const std::vector<LinearRow> more = rows_of(relaxed.values);
      if (more.empty()) break;
      for (const LinearRow& row : more) linear.add_row(row);
      relaxation->add_rows(more);
    }
    for (LinearRow& row : binding_) model_.linear.add_row(std::move(row));
    return rounds_;
  }

 private:
  std::vector<LinearRow> rows_of(const std::vector<double>& values) {
    std::vector<LinearRow> more;
    for (WindowCut& cut : violated_cuts(model_, step_, rows_, values)) {
      more.push_back({-kInfinity, cut.inequality.most, cut.inequality.terms});
      rows_.push_back(std::move(cut.inequality));
    }
    return more;
  }

  void keep_binding(const LinearModel& linear, const std::vector<double>& duals) {
    constexpr double kBinds = 1e-9;
    binding_.clear();
    for (std::size_t n = model_.linear.rows.size(); n < duals.size(); ++n)
      if (std::abs(duals[n]) > kBinds) binding_.push_back(linear.rows[n]);
  }

  WindowModel& model_;
  const Step& step_;
  const LinearBackend& backend_;
  std::vector<Inequality> rows_;    // of the model, then cuts
  std::vector<LinearRow> binding_;  // cuts in the last relaxation
  CutRounds rounds_;
};

}  // namespace

std::vector<WindowCut> violated_cuts(const WindowModel& model, const Step& step,
                                     const std::vector<Inequality>& rows,
                                     const std::vector<double>& values) {
  std::vector<WindowCut> found = violated_paths(model, step, values, kLeastPathViolation);
  if (found.size() > kPathsPerRound) found.resize(kPathsPerRound);
  if (found.size() > kFewPaths) return found;
  std::vector<WindowCut> roundings = violated_roundings(model, rows, values);
  if (roundings.size() > kRoundingsPerRound) roundings.resize(kRoundingsPerRound);
  std::move(roundings.begin(), roundings.end(), std::back_inserter(found));
  return found;
}

CutRounds add_cuts(WindowModel& model, const Step& step, const LinearBackend& backend,
                   const Stop& stop) {
  return CutLoop(model, step, backend).run(stop);
}

}  // namespace poet
