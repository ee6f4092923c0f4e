// Keeps borders between blocks, every sqrt(n)-th or by bytes (Chen et al., arXiv 1604.06174,
// algorithm 3).
#include "poet/methods/chen.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "poet/methods/chain_blocks.h"
#include "poet/methods/needs.h"
#include "poet/methods/player.h"
#include "poet/methods/proposals.h"
#include "poet/overlap/moves.h"
#include "poet/problem/facts.h"
#include "poet/problem/problem.h"

namespace poet {
namespace {

// What the player of one checkpointing knows of the graph.
struct Segments {
  const Problem& problem;
  const ChainBlocks& blocks;
  std::vector<std::optional<OperationId>> last_forward_use =
      last_forward_uses(problem, blocks.backward_begin);
  std::vector<std::optional<OperationId>> last_use =
      std::vector<std::optional<OperationId>>(problem.tensors.size());
  std::vector<bool> is_checkpoint = std::vector<bool>(problem.tensors.size(), false);
  std::vector<std::int32_t> segment_of = {};              // per forward operation
  std::vector<std::vector<OperationId>> operations = {};  // per segment

  Segments(const Problem& of, const ChainBlocks& in, const std::vector<bool>& kept)
      : problem(of), blocks(in) {
    const std::vector<std::vector<OperationId>> all = readers(problem);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!all[i].empty()) last_use[i] = all[i].back();
    operations.emplace_back();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (const OperationId operation : blocks.forward[b]) {
        segment_of.push_back(static_cast<std::int32_t>(operations.size()) - 1);
        operations.back().push_back(operation);
      }
      if (!kept[b] || b + 1 == blocks.size()) continue;
      for (const TensorId tensor : blocks.border[b]) is_checkpoint[index_of(tensor)] = true;
      operations.emplace_back();
    }
  }

  bool is_last(OperationId operation) const {
    return segment_of[index_of(operation)] + 1 == static_cast<std::int32_t>(operations.size());
  }

  // After a forward operation of a segment that will be executed again.
  void forget_what_is_done(Player& player, OperationId operation) const {
    const auto forget = [&](TensorId tensor) {
      if (!is_checkpoint[index_of(tensor)] && last_forward_use[index_of(tensor)] == operation &&
          at(problem.tensors, tensor).home == Home::Made)
        player.forget(tensor);
    };
    for (const TensorId input : ram_inputs(problem, operation)) forget(input);
    for (const TensorId output : made_outputs(problem, operation)) forget(output);
  }

  // The segment's operations that make something which is missing and needed from `stage` on.
  bool execute_again(Player& player, std::int32_t segment, OperationId stage) const {
    for (const OperationId operation : operations[segment]) {
      bool wanted = false;
      for (const TensorId output : made_outputs(problem, operation))
        wanted = wanted || (!player.holds(output) && last_use[index_of(output)] >= stage);
      if (wanted && !at(problem.operations, operation).once && !player.execute(operation))
        return false;
    }
    return true;
  }
};

// Checkpointing as Chen et al. do it: the forward pass keeps the borders of some blocks and forgets
// what lies between; the backward pass executes a forgotten segment again as a whole, from its
// checkpoint on, when it first needs something of it. `kept[b]`: the border of block b is a
// checkpoint. What lies behind the last checkpoint is not forgotten. Nothing when an operation that
// must run only once would have to run again.
std::optional<Moves> play_segments(const Problem& problem, const ChainBlocks& blocks,
                                   const std::vector<bool>& kept, HomeReads home_reads) {
  const Segments segments(problem, blocks, kept);
  const std::vector<std::optional<OperationId>> makers = producers(problem);
  Player player(problem, home_reads);
  for (std::int32_t v = 0; v < static_cast<std::int32_t>(problem.operations.size()); ++v) {
    const OperationId operation{v};
    if (v >= index_of(blocks.backward_begin)) {
      for (const TensorId input : ram_inputs(problem, operation)) {
        const std::optional<OperationId> maker = makers[index_of(input)];
        if (!maker || player.holds(input) || *maker >= blocks.backward_begin) continue;
        if (!segments.execute_again(player, segments.segment_of[index_of(*maker)], operation))
          return std::nullopt;
      }
    }
    if (!player.execute(operation)) return std::nullopt;
    if (v < index_of(blocks.backward_begin) && !segments.is_last(operation))
      segments.forget_what_is_done(player, operation);
  }
  return player.moves();
}

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
