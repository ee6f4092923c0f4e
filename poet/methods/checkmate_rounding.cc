#include "poet/methods/checkmate_rounding.h"

#include <random>

#include "poet/problem/facts.h"

namespace poet {
namespace {

// The stage from which on a made tensor must be kept, because its maker cannot run any more.
std::optional<std::int32_t> kept_from(const Problem& problem, OperationId maker,
                                      const std::vector<std::optional<OperationId>>& update_of) {
  if (at(problem.operations, maker).once) return index_of(maker) + 1;
  std::optional<std::int32_t> from;
  for (const TensorId input : ram_inputs(problem, maker)) {
    const std::optional<OperationId> update = update_of[index_of(input)];
    if (update && (!from || index_of(*update) + 1 < *from)) from = index_of(*update) + 1;
  }
  return from;
}

// For each tensor the operation that replaces it.
std::vector<std::optional<OperationId>> updates(const Problem& problem) {
  std::vector<std::optional<OperationId>> update_of(problem.tensors.size());
  for (std::size_t v = 0; v < problem.operations.size(); ++v)
    for (const TensorId output : problem.operations[v].outputs)
      if (const std::optional<TensorId> old = at(problem.tensors, output).updates)
        update_of[index_of(*old)] = OperationId{static_cast<std::int32_t>(v)};
  return update_of;
}

}  // namespace

StageKept rounded_above(const StageFractions& fractions, double threshold) {
  StageKept kept;
  for (const std::vector<double>& stage : fractions) {
    kept.emplace_back();
    for (const double fraction : stage) kept.back().push_back(fraction > threshold);
  }
  return kept;
}

StageKept rounded_at_random(const StageFractions& fractions, std::uint64_t seed) {
  // The distributions of the standard library differ from one library to the next.
  std::mt19937_64 dice(seed);
  const auto uniform = [&] { return static_cast<double>(dice() >> 11) * 0x1p-53; };
  StageKept kept;
  for (const std::vector<double>& stage : fractions) {
    kept.emplace_back();
    for (const double fraction : stage) kept.back().push_back(uniform() < fraction);
  }
  return kept;
}

void keep_what_cannot_return(const Problem& problem, StageKept& kept) {
  const std::vector<std::optional<OperationId>> update_of = updates(problem);
  const std::vector<std::vector<OperationId>> all_readers = readers(problem);
  const auto stages = static_cast<std::int32_t>(kept.size());
  for (std::int32_t k = 0; k < stages; ++k) {
    const std::optional<std::int32_t> from = kept_from(problem, OperationId{k}, update_of);
    if (!from) continue;
    for (const TensorId output : made_outputs(problem, OperationId{k})) {
      const std::vector<OperationId>& reads = all_readers[index_of(output)];
      if (reads.empty() || index_of(reads.back()) < *from) continue;
      for (std::int32_t t = *from; t < stages; ++t) kept[t][index_of(output)] = true;
    }
  }
}

StageRuns least_runs(const Problem& problem, const StageKept& kept) {
  const std::size_t stages = kept.size();
  const std::vector<std::optional<OperationId>> makers = producers(problem);
  std::vector<std::vector<TensorId>> inputs;
  for (std::size_t k = 0; k < stages; ++k) {
    inputs.push_back(ram_inputs(problem, OperationId{static_cast<std::int32_t>(k)}));
    std::erase_if(inputs.back(),
                  [&](TensorId input) { return at(problem.tensors, input).home != Home::Made; });
  }
  StageRuns runs(stages, std::vector<bool>(stages, false));
  for (std::size_t t = 0; t < stages; ++t) {
    runs[t][t] = true;
    for (std::size_t i = 0; t + 1 < stages && i < makers.size(); ++i)
      if (problem.tensors[i].home == Home::Made && makers[i] && kept[t + 1][i] && !kept[t][i])
        runs[t][index_of(*makers[i])] = true;
    for (std::size_t k = t + 1; k-- > 0;) {
      if (!runs[t][k]) continue;
      for (const TensorId input : inputs[k])
        if (!kept[t][index_of(input)]) runs[t][index_of(*makers[index_of(input)])] = true;
    }
  }
  return runs;
}

std::optional<Moves> play_stages(const Problem& problem, const StageKept& kept,
                                 const StageRuns& runs, HomeReads home_reads) {
  Player player(problem, home_reads);
  for (std::size_t t = 0; t < runs.size(); ++t) {
    for (std::size_t i = 0; i < kept[t].size(); ++i)
      if (problem.tensors[i].home == Home::Made && !kept[t][i])
        player.forget(TensorId{static_cast<std::int32_t>(i)});
    for (std::size_t k = 0; k <= t; ++k) {
      if (!runs[t][k]) continue;
      if (k < t && problem.operations[k].once) return std::nullopt;
      if (!player.execute(OperationId{static_cast<std::int32_t>(k)})) return std::nullopt;
    }
  }
  return player.moves();
}

}  // namespace poet
