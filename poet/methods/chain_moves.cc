#include "poet/methods/chain_moves.h"

#include <algorithm>

#include "poet/base/check.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

class ChainPlayer {
 public:
  ChainPlayer(const Problem& problem, const ChainBlocks& blocks, HomeReads home_reads)
      : problem_(problem),
        blocks_(blocks),
        origin_(chain_origin(problem, blocks)),
        makers_(producers(problem)),
        readers_(readers(problem)),
        player_(problem, home_reads),
        executed_(blocks.size(), false),
        kept_(blocks.size(), false),
        stored_(problem.tensors.size(), false),
        next_backward_(blocks.backward_begin) {
    find_turns();
  }

  bool execute_what_is_before() {
    for (std::int32_t b = 0; b < origin_; ++b)
      if (!execute_first(b)) return false;
    return true;
  }

  bool play(const ChainMove& move) {
    const std::int32_t b = origin_ + move.state;
    switch (move.step) {
      case ChainStep::Advance:
        return advance(b);
      case ChainStep::Keep:
        kept_[b] = true;
        return true;
      case ChainStep::Write:
        write_state(b);
        return true;
      case ChainStep::Read:
        read_state(b);
        return true;
      case ChainStep::Turn:
        return turn(b);
    }
    return false;
  }

  bool execute_the_rest() { return execute_backward(-1); }

  const Moves& moves() const { return player_.moves(); }

 private:
  // For each backward operation the block before whose turn it cannot be.
  void find_turns() {
    std::vector<std::int32_t> of_tensor(problem_.tensors.size(),
                                        static_cast<std::int32_t>(blocks_.size()));
    for (std::int32_t b = 0; b < static_cast<std::int32_t>(blocks_.size()); ++b) {
      for (const OperationId operation : blocks_.forward[b])
        for (const TensorId output : made_outputs(problem_, operation))
          of_tensor[index_of(output)] = b;
      for (const TensorId tensor : blocks_.border[b]) of_tensor[index_of(tensor)] = b + 1;
    }
    auto least = static_cast<std::int32_t>(blocks_.size()) - 1;
    for (auto v = index_of(blocks_.backward_begin); v < count(); ++v) {
      for (const TensorId input : ram_inputs(problem_, OperationId{v}))
        least = std::min(least, of_tensor[index_of(input)]);
      turns_.push_back(least);
    }
  }

  std::int32_t count() const { return static_cast<std::int32_t>(problem_.operations.size()); }

  const std::vector<TensorId>& state(std::int32_t b) const {
    static const std::vector<TensorId> nothing;
    return b == 0 ? nothing : blocks_.border[b - 1];
  }

  bool execute_first(std::int32_t b) {
    executed_[b] = true;
    return std::all_of(blocks_.forward[b].begin(), blocks_.forward[b].end(),
                       [&](OperationId operation) { return player_.execute(operation); });
  }

  // What an operation made that runs only once can be let go only when storage has it.
  void forget(TensorId tensor) {
    const std::optional<OperationId> maker = makers_[index_of(tensor)];
    const bool once = maker && at(problem_.operations, *maker).once;
    if (!once || stored_[index_of(tensor)]) player_.forget(tensor);
  }

  bool advance(std::int32_t b) {
    const std::vector<TensorId>& next = blocks_.border[b];
    if (executed_[b]) {
      for (const TensorId tensor : next)
        if (!player_.holds(tensor) && !player_.execute(*makers_[index_of(tensor)])) return false;
    } else if (!execute_first(b)) {
      return false;
    }
    const auto handed_on = [&](TensorId tensor) {
      return std::find(next.begin(), next.end(), tensor) != next.end();
    };
    for (const OperationId operation : blocks_.forward[b])
      for (const TensorId output : made_outputs(problem_, operation))
        if (!handed_on(output)) forget(output);
    if (kept_[b]) return true;
    for (const TensorId tensor : state(b))
      if (!handed_on(tensor)) forget(tensor);
    return true;
  }

  void write_state(std::int32_t b) {
    for (const TensorId tensor : state(b)) {
      if (stored_[index_of(tensor)]) continue;
      player_.write(tensor);
      stored_[index_of(tensor)] = true;
    }
  }

  void read_state(std::int32_t b) {
    for (const TensorId tensor : state(b))
      if (!player_.holds(tensor)) player_.read(tensor);
  }

  bool turn(std::int32_t b) {
    const bool there = executed_[b] ? execute_again(b) : execute_first(b);
    return there && execute_backward(b);
  }

  // What backward operations will read of the block and is not there.
  bool execute_again(std::int32_t b) {
    for (const OperationId operation : blocks_.forward[b]) {
      const std::vector<TensorId> outputs = made_outputs(problem_, operation);
      const bool wanted = std::any_of(outputs.begin(), outputs.end(), [&](TensorId output) {
        const std::vector<OperationId>& read_by = readers_[index_of(output)];
        return !player_.holds(output) && !read_by.empty() && read_by.back() >= next_backward_;
      });
      if (wanted && !player_.execute(operation)) return false;
    }
    return true;
  }

  bool execute_backward(std::int32_t down_to) {
    for (; index_of(next_backward_) < count();
         next_backward_ = OperationId{index_of(next_backward_) + 1}) {
      if (turns_[index_of(next_backward_) - index_of(blocks_.backward_begin)] < down_to)
        return true;
      if (!player_.execute(next_backward_)) return false;
    }
    return true;
  }

  const Problem& problem_;
  const ChainBlocks& blocks_;
  const std::int32_t origin_;
  const std::vector<std::optional<OperationId>> makers_;
  const std::vector<std::vector<OperationId>> readers_;
  Player player_;
  std::vector<bool> executed_;       // per block
  std::vector<bool> kept_;           // per block: its state is a checkpoint in RAM
  std::vector<bool> stored_;         // per tensor
  std::vector<std::int32_t> turns_;  // per backward operation, falling
  OperationId next_backward_;
};

}  // namespace

std::int32_t chain_origin(const Problem& problem, const ChainBlocks& blocks) {
  std::int32_t b = 0;
  const auto all_once = [&](const std::vector<OperationId>& operations) {
    return std::all_of(operations.begin(), operations.end(), [&](OperationId operation) {
      return at(problem.operations, operation).once;
    });
  };
  while (b + 1 < static_cast<std::int32_t>(blocks.size()) && all_once(blocks.forward[b])) ++b;
  return b;
}

Result<ChainBlocks> chain_of(const Problem& problem) {
  const Result<ChainBlocks> blocks = articulation_blocks(problem);
  if (blocks.ok() && blocks->size() < 2)
    return Error{ErrorCode::Unsupported,
                 "the method needs a chain, and at no point of the forward pass is one tensor all "
                 "that later forward operations read",
                 {}};
  return blocks;
}

std::optional<Moves> play_chain_moves(const Problem& problem, const ChainBlocks& blocks,
                                      const std::vector<ChainMove>& chain_moves,
                                      HomeReads home_reads) {
  ChainPlayer play(problem, blocks, home_reads);
  if (!play.execute_what_is_before()) return std::nullopt;
  for (const ChainMove& move : chain_moves)
    if (!play.play(move)) return std::nullopt;
  if (!play.execute_the_rest()) return std::nullopt;
  return play.moves();
}

}  // namespace poet
