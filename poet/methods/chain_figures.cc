// Seconds and bytes of each block, as dynamic programmes over chains take them (Beaumont et al.,
// arXiv 1911.13214).
#include "poet/methods/chain_figures.h"

#include <algorithm>
#include <utility>

#include "poet/problem/facts.h"

namespace poet {
namespace {

// Which tensors live how long in some sequence of operations of the step.
struct Walk {
  const Problem& problem;
  const std::vector<OperationId>& operations;
  std::vector<bool> held;   // before the first operation; counted
  std::vector<bool> stays;  // to the end, whoever needs it
  std::vector<bool> outside = std::vector<bool>(problem.tensors.size(), false);  // not counted
};

std::vector<std::size_t> last_uses(const Walk& walk) {
  std::vector<std::size_t> last(walk.problem.tensors.size(), 0);
  for (std::size_t k = 0; k < walk.operations.size(); ++k) {
    for (const TensorId input : ram_inputs(walk.problem, walk.operations[k]))
      last[index_of(input)] = k;
    for (const TensorId output : made_outputs(walk.problem, walk.operations[k]))
      last[index_of(output)] = std::max(last[index_of(output)], k);
  }
  return last;
}

// Counts what a walk holds, operation by operation.
class Counter {
 public:
  explicit Counter(Walk walk) : walk_(std::move(walk)), last_(last_uses(walk_)) {
    for (std::size_t i = 0; i < walk_.held.size(); ++i)
      if (walk_.held[i]) held_bytes_ += walk_.problem.tensors[i].size_bytes;
  }

  // The most bytes held while one of the operations runs.
  std::int64_t peak_bytes() {
    std::int64_t most = 0;
    for (std::size_t k = 0; k < walk_.operations.size(); ++k) most = std::max(most, run(k));
    return most;
  }

 private:
  bool dies_at(TensorId tensor, std::size_t k) const {
    return last_[index_of(tensor)] <= k && !walk_.stays[index_of(tensor)];
  }

  std::int64_t run(std::size_t k) {
    const Problem& problem = walk_.problem;
    const Operation& operation = at(problem.operations, walk_.operations[k]);
    std::vector<TensorId> dying;
    std::int64_t passing_bytes = operation.workspace_bytes;
    for (const TensorId input : ram_inputs(problem, walk_.operations[k])) {
      if (walk_.held[index_of(input)]) {
        if (dies_at(input, k)) dying.push_back(input);
      } else if (!walk_.outside[index_of(input)] &&
                 at(problem.tensors, input).home != Home::Resident) {
        passing_bytes += at(problem.tensors, input).size_bytes;
      }
    }
    for (const TensorId output : made_outputs(problem, walk_.operations[k])) {
      if (at(problem.tensors, output).home == Home::Resident || walk_.held[index_of(output)])
        continue;
      hold(output);
      if (dies_at(output, k)) dying.push_back(output);
    }
    const std::int64_t used_bytes = held_bytes_ + passing_bytes - shared_bytes(operation, dying);
    for (const TensorId tensor : dying) let_go(tensor);
    return used_bytes;
  }

  std::int64_t shared_bytes(const Operation& operation, const std::vector<TensorId>& dying) const {
    if (!operation.in_place) return 0;
    const TensorId input = root_of(walk_.problem, operation.in_place->input);
    if (std::find(dying.begin(), dying.end(), input) == dying.end()) return 0;
    return at(walk_.problem.tensors, operation.in_place->output).size_bytes;
  }

  void hold(TensorId tensor) {
    walk_.held[index_of(tensor)] = true;
    held_bytes_ += at(walk_.problem.tensors, tensor).size_bytes;
  }
  void let_go(TensorId tensor) {
    walk_.held[index_of(tensor)] = false;
    held_bytes_ -= at(walk_.problem.tensors, tensor).size_bytes;
  }

  Walk walk_;
  std::vector<std::size_t> last_;
  std::int64_t held_bytes_ = 0;
};

std::int64_t peak_bytes(Walk walk) {
  return Counter(std::move(walk)).peak_bytes();
}

std::int64_t sum_bytes(const Problem& problem, const std::vector<TensorId>& tensors) {
  std::int64_t sum = 0;
  for (const TensorId tensor : tensors) sum += at(problem.tensors, tensor).size_bytes;
  return sum;
}

struct Figures {
  const Problem& problem;
  const ChainBlocks& blocks;
  std::vector<std::int32_t> turns = backward_turns(problem, blocks);
  std::vector<std::vector<OperationId>> read_by = readers(problem);
  std::vector<std::optional<OperationId>> makers = producers(problem);

  std::vector<bool> marked(const std::vector<TensorId>& tensors) const {
    std::vector<bool> marks(problem.tensors.size(), false);
    for (const TensorId tensor : tensors) marks[index_of(tensor)] = true;
    return marks;
  }

  std::vector<OperationId> backward_of(std::int32_t b) const {
    std::vector<OperationId> operations;
    for (std::size_t k = 0; k < turns.size(); ++k)
      if (turns[k] == b)
        operations.push_back(
            OperationId{index_of(blocks.backward_begin) + static_cast<std::int32_t>(k)});
    return operations;
  }

  // What was made by backward operations before one of them and is read at it or later.
  std::vector<TensorId> gradients_at(OperationId begin) const {
    std::vector<TensorId> gradients;
    for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
      const auto& maker = makers[i];
      if (maker && !problem.tensors[i].view_of && problem.tensors[i].home == Home::Made &&
          *maker >= blocks.backward_begin && *maker < begin && !read_by[i].empty() &&
          read_by[i].back() >= begin)
        gradients.push_back(TensorId{static_cast<std::int32_t>(i)});
    }
    return gradients;
  }

  // The operations of a block that Turn executes again: those that make the record, and what they
  // need of the block.
  double again_s(std::int32_t b, const std::vector<TensorId>& record) const {
    std::vector<bool> wanted = marked(record);
    double sum_s = 0;
    const std::vector<OperationId>& operations = blocks.forward[b];
    for (auto v = operations.rbegin(); v != operations.rend(); ++v) {
      const std::vector<TensorId> outputs = made_outputs(problem, *v);
      if (std::none_of(outputs.begin(), outputs.end(),
                       [&](TensorId output) { return wanted[index_of(output)]; }))
        continue;
      sum_s += at(problem.operations, *v).compute_s;
      for (const TensorId input : ram_inputs(problem, *v)) wanted[index_of(input)] = true;
    }
    return sum_s;
  }

  void add_forward(std::int32_t b, BlockFigures& figures) const {
    const std::vector<TensorId>& state = state_of(blocks, b);
    const std::vector<TensorId> record = record_of(problem, blocks, b);
    for (const OperationId v : blocks.forward[b])
      figures.advance_s += at(problem.operations, v).compute_s;
    figures.again_s = again_s(b, record);
    figures.state_bytes = sum_bytes(problem, state);
    figures.record_bytes = sum_bytes(problem, record);

    const std::vector<bool> nothing(problem.tensors.size(), false);
    std::vector<bool> next = marked(blocks.border[b]);
    figures.advance_peak_bytes =
        peak_bytes({problem, blocks.forward[b], nothing, next, marked(state)});
    figures.passing_peak_bytes = peak_bytes({problem, blocks.forward[b], marked(state), next});
    for (const TensorId tensor : record) next[index_of(tensor)] = true;
    figures.record_peak_bytes =
        peak_bytes({problem, blocks.forward[b], nothing, next, marked(state)});
  }

  void add_backward(std::int32_t b, BlockFigures& figures) const {
    const std::vector<OperationId> operations = backward_of(b);
    if (operations.empty()) return;
    for (const OperationId v : operations)
      figures.backward_s += at(problem.operations, v).compute_s;
    const std::vector<TensorId> gradients = gradients_at(operations.front());
    figures.gradient_bytes = sum_bytes(problem, gradients);
    std::vector<bool> held = marked(gradients);
    for (const TensorId tensor : record_of(problem, blocks, b)) held[index_of(tensor)] = true;
    const OperationId end{index_of(operations.back()) + 1};
    figures.turn_peak_bytes = peak_bytes(
        {problem, operations, held, marked(gradients_at(end)), marked(state_of(blocks, b))});
  }
};

}  // namespace

std::vector<BlockFigures> chain_figures(const Problem& problem, const ChainBlocks& blocks) {
  const Figures figures{problem, blocks};
  std::vector<BlockFigures> all;
  for (std::int32_t b = chain_origin(problem, blocks); b < static_cast<std::int32_t>(blocks.size());
       ++b) {
    all.emplace_back();
    figures.add_forward(b, all.back());
    figures.add_backward(b, all.back());
  }
  return all;
}

}  // namespace poet
