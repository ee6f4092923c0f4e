// Turns what publications on chains say of checkpoints into the moves of a schedule
// (docs/model/problem.md §2.1).
#include "poet/methods/chain_moves.h"

#include <algorithm>

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
        turns_(backward_turns(problem, blocks)),
        next_backward_(blocks.backward_begin) {}

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
        write(state_of(blocks_, b));
        return true;
      case ChainStep::Read:
        read(state_of(blocks_, b));
        return true;
      case ChainStep::Turn:
        return turn(b);
      case ChainStep::Record:
        return record(b);
      case ChainStep::WriteRecord:
        write_record(b);
        return true;
      case ChainStep::ReadRecord:
        read(record_of(problem_, blocks_, b));
        return true;
    }
    return false;
  }

  bool execute_the_rest() { return execute_backward(-1); }

  const Moves& moves() const { return player_.moves(); }

 private:
  std::int32_t count() const { return static_cast<std::int32_t>(problem_.operations.size()); }

  bool execute_first(std::int32_t b) {
    executed_[b] = true;
    return std::all_of(blocks_.forward[b].begin(), blocks_.forward[b].end(),
                       [&](OperationId operation) { return player_.execute(operation); });
  }

  // What an operation made that runs only once can be let go only when storage has it; what takes
  // no room need not be.
  void forget(TensorId tensor) {
    if (at(problem_.tensors, tensor).size_bytes == 0) return;
    const std::optional<OperationId> maker = makers_[index_of(tensor)];
    const bool once = maker && at(problem_.operations, *maker).once;
    if (!once || stored_[index_of(tensor)]) player_.forget(tensor);
  }

  // State b + 1 is there afterwards.
  bool reach_next_state(std::int32_t b) {
    if (!executed_[b]) return execute_first(b);
    for (const TensorId tensor : blocks_.border[b])
      if (!player_.holds(tensor) && !player_.execute(*makers_[index_of(tensor)])) return false;
    return true;
  }

  bool is_handed_on(std::int32_t b, TensorId tensor) const {
    const std::vector<TensorId>& next = blocks_.border[b];
    return std::find(next.begin(), next.end(), tensor) != next.end();
  }

  void leave_state(std::int32_t b) {
    if (kept_[b]) return;
    for (const TensorId tensor : state_of(blocks_, b))
      if (!is_handed_on(b, tensor)) forget(tensor);
  }

  bool advance(std::int32_t b) {
    if (!reach_next_state(b)) return false;
    for (const OperationId operation : blocks_.forward[b])
      for (const TensorId output : made_outputs(problem_, operation))
        if (!is_handed_on(b, output)) forget(output);
    leave_state(b);
    return true;
  }

  bool record(std::int32_t b) {
    if (executed_[b] && !execute_again(b)) return false;
    if (!reach_next_state(b)) return false;
    leave_state(b);
    return true;
  }

  void write(const std::vector<TensorId>& tensors) {
    for (const TensorId tensor : tensors) {
      if (stored_[index_of(tensor)] || !player_.holds(tensor)) continue;
      player_.write(tensor);
      stored_[index_of(tensor)] = true;
    }
  }

  void write_record(std::int32_t b) {
    const std::vector<TensorId> tensors = record_of(problem_, blocks_, b);
    write(tensors);
    for (const TensorId tensor : tensors) forget(tensor);
  }

  void read(const std::vector<TensorId>& tensors) {
    for (const TensorId tensor : tensors)
      if (stored_[index_of(tensor)] && !player_.holds(tensor)) player_.read(tensor);
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
  std::vector<bool> executed_;             // per block
  std::vector<bool> kept_;                 // per block: its state is a checkpoint in RAM
  std::vector<bool> stored_;               // per tensor
  const std::vector<std::int32_t> turns_;  // per backward operation, falling
  OperationId next_backward_;
};

}  // namespace

const std::vector<TensorId>& state_of(const ChainBlocks& blocks, std::int32_t b) {
  static const std::vector<TensorId> nothing;
  return b == 0 ? nothing : blocks.border[b - 1];
}

std::vector<TensorId> record_of(const Problem& problem, const ChainBlocks& blocks, std::int32_t b) {
  std::vector<TensorId> record;
  const std::vector<std::vector<OperationId>> all = readers(problem);
  for (const OperationId operation : blocks.forward[b]) {
    for (const TensorId output : made_outputs(problem, operation)) {
      const std::vector<TensorId>& next = blocks.border[b];
      const std::vector<OperationId>& read_by = all[index_of(output)];
      if (std::find(next.begin(), next.end(), output) == next.end() && !read_by.empty() &&
          read_by.back() >= blocks.backward_begin && at(problem.tensors, output).size_bytes > 0)
        record.push_back(output);
    }
  }
  return record;
}

std::vector<std::int32_t> backward_turns(const Problem& problem, const ChainBlocks& blocks) {
  const auto size = static_cast<std::int32_t>(blocks.size());
  std::vector<std::int32_t> of_tensor(problem.tensors.size(), size);
  for (std::int32_t b = 0; b < size; ++b) {
    for (const OperationId operation : blocks.forward[b])
      for (const TensorId output : made_outputs(problem, operation))
        of_tensor[index_of(output)] = b;
    for (const TensorId tensor : blocks.border[b]) of_tensor[index_of(tensor)] = b + 1;
  }
  std::vector<std::int32_t> turns;
  std::int32_t least = size - 1;
  for (auto v = index_of(blocks.backward_begin);
       v < static_cast<std::int32_t>(problem.operations.size()); ++v) {
    for (const TensorId input : ram_inputs(problem, OperationId{v}))
      least = std::min(least, of_tensor[index_of(input)]);
    turns.push_back(least);
  }
  return turns;
}

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
