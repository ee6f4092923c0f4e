// Saves what a least cut through the forward pass names, and makes the rest again (He and Yu,
// MLSys 2023), with a knapsack of what is costly.
#include "poet/methods/min_cut.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "poet/methods/chain_blocks.h"
#include "poet/methods/least_cut.h"
#include "poet/methods/needs.h"
#include "poet/methods/player.h"
#include "poet/methods/proposals.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

constexpr int kCheapnessLimits = 8;
constexpr int kKnapsackSizes = 24;
constexpr std::int64_t kMostUnits = 10'000;

double seconds_per_byte(const Problem& problem, OperationId id) {
  std::int64_t bytes = 0;
  for (const TensorId input : ram_inputs(problem, id))
    bytes += at(problem.tensors, input).size_bytes;
  for (const TensorId output : made_outputs(problem, id))
    bytes += at(problem.tensors, output).size_bytes;
  return at(problem.operations, id).compute_s /
         static_cast<double>(std::max<std::int64_t>(bytes, 1));
}

// The forward pass forgets what is not saved; the backward pass makes it again at its first use and
// keeps it to the last.
std::optional<Moves> play_saving(const Problem& problem, OperationId backward_begin,
                                 const std::vector<TensorId>& saved, HomeReads home_reads) {
  const std::vector<std::optional<OperationId>> last = last_forward_uses(problem, backward_begin);
  std::vector<bool> keeps(problem.tensors.size(), false);
  for (const TensorId tensor : saved) keeps[index_of(tensor)] = true;
  Player player(problem, home_reads);
  for (std::int32_t v = 0; v < static_cast<std::int32_t>(problem.operations.size()); ++v) {
    const OperationId operation{v};
    if (!player.execute(operation)) return std::nullopt;
    if (operation >= backward_begin) continue;
    std::vector<TensorId> touched = ram_inputs(problem, operation);
    for (const TensorId output : made_outputs(problem, operation)) touched.push_back(output);
    for (const TensorId tensor : touched)
      if (at(problem.tensors, tensor).home == Home::Made && !keeps[index_of(tensor)] &&
          last[index_of(tensor)] == operation)
        player.forget(tensor);
  }
  return player.moves();
}

class MinCut final : public Solver {
 public:
  std::string_view name() const override { return "min-cut"; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions&, const Stop& stop,
                            const ProgressSink&) const override {
    if (Failure failure = needs_rematerialisation(problem)) return *failure;
    const Result<ChainBlocks> blocks = linearised_blocks(problem);
    if (!blocks.ok()) return blocks.error();
    Proposals proposals(problem);
    for (const std::vector<TensorId>& saved : all_choices(problem, blocks->backward_begin, stop)) {
      if (stop.requested() && proposals.has_answer()) break;
      for (const HomeReads home_reads : ways_to_read_homes(problem))
        if (const auto moves = play_saving(problem, blocks->backward_begin, saved, home_reads))
          proposals.offer(*moves);
    }
    return proposals.report(name());
  }

 private:
  using Choices = std::vector<std::vector<TensorId>>;

  static Choices all_choices(const Problem& problem, OperationId backward_begin, const Stop& stop) {
    const std::size_t forward = static_cast<std::size_t>(index_of(backward_begin));
    std::vector<bool> pure(forward);
    for (std::size_t v = 0; v < forward; ++v) pure[v] = !problem.operations[v].once;
    std::set<std::vector<TensorId>> seen;
    Choices choices;
    const auto add = [&](std::vector<TensorId> saved) {
      if (seen.insert(saved).second) choices.push_back(std::move(saved));
    };
    add(saved_by_cut(problem, backward_begin, std::vector<bool>(forward, false)));
    add(saved_by_cut(problem, backward_begin, pure));
    for (const std::vector<bool>& cheap : cheap_operations(problem, pure)) {
      if (stop.requested()) break;
      add(saved_by_cut(problem, backward_begin, cheap));
      for (std::vector<TensorId>& saved : with_knapsack(problem, backward_begin, pure, cheap))
        add(std::move(saved));
    }
    return choices;
  }

  // Those with the least time per byte: the first eighth, the first two, ...; the last set of all
  // has nothing left for the knapsack.
  static std::vector<std::vector<bool>> cheap_operations(const Problem& problem,
                                                         const std::vector<bool>& pure) {
    std::vector<std::size_t> order;
    for (std::size_t v = 0; v < pure.size(); ++v)
      if (pure[v] && !problem.operations[v].view) order.push_back(v);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return seconds_per_byte(problem, OperationId{static_cast<std::int32_t>(a)}) <
             seconds_per_byte(problem, OperationId{static_cast<std::int32_t>(b)});
    });
    std::vector<std::vector<bool>> sets;
    for (int k = 0; k < kCheapnessLimits; ++k) {
      std::vector<bool> cheap(pure.size(), false);
      for (std::size_t n = 0; n < order.size() * k / kCheapnessLimits; ++n) cheap[order[n]] = true;
      if (sets.empty() || cheap != sets.back()) sets.push_back(std::move(cheap));
    }
    return sets;
  }

  // Of the values that are saved because they are costly, those that the knapsack gives up.
  static Choices with_knapsack(const Problem& problem, OperationId backward_begin,
                               const std::vector<bool>& pure, const std::vector<bool>& cheap) {
    const std::vector<TensorId> saved = saved_by_cut(problem, backward_begin, cheap);
    const std::vector<std::optional<OperationId>> makers = producers(problem);
    std::vector<std::int64_t> weights;
    std::vector<double> values;
    std::vector<OperationId> costly;
    for (const TensorId tensor : saved) {
      const OperationId maker = *makers[index_of(tensor)];
      if (!pure[index_of(maker)] || cheap[index_of(maker)]) continue;
      costly.push_back(maker);
      weights.push_back(at(problem.tensors, tensor).size_bytes);
      const Operation& operation = at(problem.operations, maker);
      values.push_back(problem.objective == Objective::Time ? operation.compute_s
                                                            : operation.compute_j);
    }
    const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    Choices choices;
    for (int k = 0; k < kKnapsackSizes; ++k) {
      const std::vector<bool> taken =
          best_knapsack(weights, values,
                        static_cast<std::int64_t>(static_cast<double>(all) * k / kKnapsackSizes));
      std::vector<bool> may_run_again = pure;
      for (std::size_t n = 0; n < costly.size(); ++n)
        if (taken[n]) may_run_again[index_of(costly[n])] = false;
      choices.push_back(saved_by_cut(problem, backward_begin, may_run_again));
    }
    return choices;
  }
};

}  // namespace

// An operation and each of its outputs are nodes; an output is two, with its size between them.
// Saving it cuts there. What may not run again hangs on the source, what the backward pass reads on
// the sink.
std::vector<TensorId> saved_by_cut(const Problem& problem, OperationId backward_begin,
                                   const std::vector<bool>& may_run_again) {
  const std::int32_t operations = index_of(backward_begin);
  const auto tensors = static_cast<std::int32_t>(problem.tensors.size());
  const std::int32_t source = operations + 2 * tensors;
  const std::int32_t sink = source + 1;
  const auto begin_of = [&](TensorId tensor) { return operations + 2 * index_of(tensor); };
  FlowNetwork network(sink + 1);
  const std::vector<std::vector<OperationId>> reads = readers(problem);
  std::vector<TensorId> candidates;
  for (std::int32_t v = 0; v < operations; ++v) {
    if (!may_run_again[v]) network.add_arc(source, v, FlowNetwork::kUnlimited);
    for (const TensorId output : made_outputs(problem, OperationId{v})) {
      candidates.push_back(output);
      const std::int32_t begin = begin_of(output);
      network.add_arc(v, begin, FlowNetwork::kUnlimited);
      network.add_arc(begin, begin + 1, at(problem.tensors, output).size_bytes);
      for (const OperationId reader : reads[index_of(output)])
        network.add_arc(begin + 1, reader < backward_begin ? index_of(reader) : sink,
                        FlowNetwork::kUnlimited);
    }
  }
  const std::vector<bool> kept = network.source_side_of_least_cut(source, sink);
  std::erase_if(candidates, [&](TensorId tensor) {
    return !kept[begin_of(tensor)] || kept[begin_of(tensor) + 1];
  });
  return candidates;
}

std::vector<bool> best_knapsack(const std::vector<std::int64_t>& weights,
                                const std::vector<double>& values, std::int64_t most) {
  const std::int64_t unit = std::max<std::int64_t>(1, (most + kMostUnits - 1) / kMostUnits);
  const std::int64_t room = most / unit;
  std::vector<double> best(room + 1, 0);
  std::vector<std::vector<bool>> takes(weights.size(), std::vector<bool>(room + 1, false));
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const std::int64_t weight = (weights[n] + unit - 1) / unit;
    for (std::int64_t w = room; w >= weight; --w) {
      if (best[w - weight] + values[n] <= best[w] && weight > 0) continue;
      best[w] = best[w - weight] + values[n];
      takes[n][w] = true;
    }
  }
  std::vector<bool> taken(weights.size(), false);
  std::int64_t left = room;
  for (std::size_t n = weights.size(); n-- > 0;) {
    if (!takes[n][left]) continue;
    taken[n] = true;
    left -= (weights[n] + unit - 1) / unit;
  }
  return taken;
}

std::unique_ptr<Solver> make_min_cut() {
  return std::make_unique<MinCut>();
}

}  // namespace poet
