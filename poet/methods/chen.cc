#include "poet/methods/chen.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "poet/methods/chain_blocks.h"
#include "poet/methods/needs.h"
#include "poet/methods/proposals.h"
#include "poet/methods/segments.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

constexpr int kMostThresholds = 200;

std::vector<bool> every_sqrt(std::size_t blocks) {
  const auto stride = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(blocks))));
  std::vector<bool> kept(blocks, false);
  for (std::size_t b = stride - 1; b < blocks; b += stride) kept[b] = true;
  return kept;
}

std::vector<std::int64_t> bytes_made(const Problem& problem, const ChainBlocks& blocks) {
  std::vector<std::int64_t> made;
  for (const std::vector<OperationId>& operations : blocks.forward) {
    made.push_back(0);
    for (const OperationId operation : operations)
      for (const TensorId output : made_outputs(problem, operation))
        made.back() += at(problem.tensors, output).size_bytes;
  }
  return made;
}

std::vector<bool> beyond_threshold(const std::vector<std::int64_t>& made, std::int64_t threshold) {
  std::vector<bool> kept(made.size(), false);
  std::int64_t since = 0;
  for (std::size_t b = 0; b < made.size(); ++b) {
    since += made[b];
    if (since <= threshold) continue;
    kept[b] = true;
    since = 0;
  }
  return kept;
}

// The smallest thresholds at which the choice changes, from keeping every border to keeping none.
std::vector<std::vector<bool>> greedy_choices(const std::vector<std::int64_t>& made) {
  const std::int64_t all = std::accumulate(made.begin(), made.end(), std::int64_t{0});
  std::vector<std::vector<bool>> choices;
  for (int k = 0; k <= kMostThresholds; ++k) {
    // Evenly spaced would leave out the small ones, where most choices are.
    const double part = std::pow(static_cast<double>(k) / kMostThresholds, 2);
    std::vector<bool> kept =
        beyond_threshold(made, static_cast<std::int64_t>(part * static_cast<double>(all)));
    if (choices.empty() || choices.back() != kept) choices.push_back(std::move(kept));
  }
  return choices;
}

enum class Choice { SquareRoot, Greedy };
enum class Borders { ArticulationPoints, Linearised };

class Chen final : public Solver {
 public:
  Chen(std::string_view name, Choice choice, Borders borders)
      : name_(name), choice_(choice), borders_(borders) {}

  std::string_view name() const override { return name_; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions&, const Stop& stop,
                            const ProgressSink&) const override {
    if (Failure failure = needs_rematerialisation(problem)) return *failure;
    const Result<ChainBlocks> blocks =
        borders_ == Borders::Linearised ? linearised_blocks(problem) : articulation_blocks(problem);
    if (!blocks.ok()) return blocks.error();
    const std::vector<std::vector<bool>> choices =
        choice_ == Choice::Greedy ? greedy_choices(bytes_made(problem, *blocks))
                                  : std::vector<std::vector<bool>>{every_sqrt(blocks->size())};
    Proposals proposals(problem);
    for (const std::vector<bool>& kept : choices) {
      if (stop.requested()) break;
      for (const HomeReads home_reads : ways_to_read_homes(problem))
        if (const std::optional<Moves> moves = play_segments(problem, *blocks, kept, home_reads))
          proposals.offer(*moves);
    }
    return proposals.report(name_);
  }

 private:
  std::string_view name_;
  Choice choice_;
  Borders borders_;
};

}  // namespace

std::unique_ptr<Solver> make_chen_sqrt() {
  return std::make_unique<Chen>("chen-sqrt", Choice::SquareRoot, Borders::ArticulationPoints);
}

std::unique_ptr<Solver> make_chen_sqrt_linearised() {
  return std::make_unique<Chen>("chen-sqrt-linearised", Choice::SquareRoot, Borders::Linearised);
}

std::unique_ptr<Solver> make_chen_greedy() {
  return std::make_unique<Chen>("chen-greedy", Choice::Greedy, Borders::ArticulationPoints);
}

std::unique_ptr<Solver> make_chen_greedy_linearised() {
  return std::make_unique<Chen>("chen-greedy-linearised", Choice::Greedy, Borders::Linearised);
}

}  // namespace poet
