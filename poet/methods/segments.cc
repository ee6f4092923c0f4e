#include "poet/methods/segments.h"

#include "poet/problem/facts.h"

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

}  // namespace

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

}  // namespace poet
