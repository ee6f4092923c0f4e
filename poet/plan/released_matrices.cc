#include "poet/plan/released_matrices.h"

#include <algorithm>

#include "poet/base/check.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

using Marks = ReleasedMatrices::Marks;

OperationId operation_at(std::size_t index) {
  return OperationId{static_cast<std::int32_t>(index)};
}

template <typename T>
std::vector<std::vector<T>> zeros(std::size_t rows, std::size_t columns) {
  return std::vector<std::vector<T>>(rows, std::vector<T>(columns, 0));
}

// For each operation the root of its first output.
std::vector<TensorId> columns_of(const Problem& problem) {
  std::vector<TensorId> columns;
  for (const Operation& operation : problem.operations)
    columns.push_back(root_of(problem, operation.outputs[0]));
  return columns;
}

// The first backward operation, when it reads what the operation before it makes.
bool is_loss_edge(const Problem& problem, ReleasedEdge edge) {
  return at(problem.operations, edge.to).backward && !at(problem.operations, edge.from).backward &&
         index_of(edge.to) == index_of(edge.from) + 1;
}

std::vector<ReleasedEdge> edges_of(const Problem& problem, LossEdge loss_edge) {
  const std::vector<std::optional<OperationId>> makers = producers(problem);
  std::vector<ReleasedEdge> edges;
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    for (const TensorId input : problem.operations[v].inputs) {
      const std::optional<OperationId> maker = at(makers, input);
      if (!maker) continue;
      const ReleasedEdge edge{*maker, operation_at(v)};
      edges.push_back(edge);
      if (loss_edge == LossEdge::Twice && is_loss_edge(problem, edge)) edges.push_back(edge);
    }
  }
  return edges;
}

// Follows a schedule stage by stage and fills the rows.
class StageWalk {
 public:
  StageWalk(const Problem& problem, const Schedule& schedule, const Replay& replay,
            LossEdge loss_edge)
      : problem_(problem),
        actions_(schedule.actions),
        replay_(replay),
        columns_(columns_of(problem)),
        in_ram_(problem.tensors.size(), false),
        in_storage_(problem.tensors.size(), false) {
    const std::size_t stages = problem.operations.size();
    for (Marks* const marks : {&out_.r, &out_.m_in, &out_.m_out})
      *marks = zeros<std::int8_t>(stages, stages);
    out_.u_bytes = zeros<std::int64_t>(stages, stages);
    out_.edges = edges_of(problem, loss_edge);
    for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
      const Tensor& tensor = problem.tensors[i];
      in_ram_[i] = tensor.home == Home::Resident && !tensor.updates;
      in_storage_[i] = tensor.home == Home::Storage;
    }
    for (const TensorId id : schedule.resident) in_ram_[index_of(id)] = true;
  }

  ReleasedMatrices run() {
    const std::size_t stages = problem_.operations.size();
    for (stage_ = 0; stage_ < stages; ++stage_) {
      begin_stage();
      walk_stage();
    }
    fill_free();
    return out_;
  }

 private:
  bool first_execution_is_next() const {
    const Compute* const compute = std::get_if<Compute>(&actions_[next_]);
    return compute != nullptr && static_cast<std::size_t>(compute->operation) == stage_;
  }
  bool leaves_ram_or_is_written_next() const {
    return next_ < actions_.size() && (std::holds_alternative<Drop>(actions_[next_]) ||
                                       std::holds_alternative<PageOut>(actions_[next_]));
  }

  void begin_stage() {
    out_.s_ram.emplace_back();
    out_.s_sd.emplace_back();
    for (const TensorId tensor : columns_) {
      out_.s_ram.back().push_back(in_ram_[index_of(tensor)] ? 1 : 0);
      out_.s_sd.back().push_back(in_storage_[index_of(tensor)] ? 1 : 0);
    }
  }

  void walk_stage() {
    bool first_execution_done = false;
    while (next_ < actions_.size() && !first_execution_done) {
      first_execution_done = first_execution_is_next();
      take_action();
    }
    while (leaves_ram_or_is_written_next()) take_action();
    const bool last = stage_ + 1 == problem_.operations.size();
    while (last && next_ < actions_.size()) take_action();
  }

  void take_action() {
    const Action& action = actions_[next_];
    if (const Compute* const compute = std::get_if<Compute>(&action)) {
      run_operation(compute->operation);
    } else if (const PageIn* const in = std::get_if<PageIn>(&action)) {
      in_ram_[index_of(in->tensor)] = true;
      mark(out_.m_in, in->tensor);
    } else if (const PageOut* const out = std::get_if<PageOut>(&action)) {
      in_storage_[index_of(out->tensor)] = true;
      mark(out_.m_out, out->tensor);
    } else {
      in_ram_[index_of(std::get<Drop>(action).tensor)] = false;
    }
    ++next_;
  }

  void run_operation(OperationId id) {
    at(out_.r[stage_], id) = 1;
    std::int64_t& used = at(out_.u_bytes[stage_], id);
    used = std::max(used, replay_.moments[next_].ram_bytes);
    for (const TensorId output : at(problem_.operations, id).outputs)
      if (!at(problem_.tensors, output).view_of) in_ram_[index_of(output)] = true;
  }

  void mark(Marks& marks, TensorId tensor) {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i] == tensor) marks[stage_][i] = 1;
  }

  // As the released rows define it: k runs, what `from` makes is not in RAM when the next stage
  // begins, and nothing behind k reads it in this stage.
  void fill_free() {
    const std::size_t stages = problem_.operations.size();
    out_.free_e = zeros<std::int8_t>(stages, out_.edges.size());
    for (std::size_t t = 0; t < stages; ++t)
      for (std::size_t e = 0; e < out_.edges.size(); ++e)
        out_.free_e[t][e] =
            is_last_use(t, out_.edges[e]) && !kept_after(t, out_.edges[e].from) ? 1 : 0;
  }

  bool is_last_use(std::size_t t, ReleasedEdge edge) const {
    const auto later_read = [&](ReleasedEdge other) {
      return other.from == edge.from && other.to > edge.to && at(out_.r[t], other.to) != 0;
    };
    return at(out_.r[t], edge.to) != 0 &&
           std::none_of(out_.edges.begin(), out_.edges.end(), later_read);
  }

  bool kept_after(std::size_t t, OperationId maker) const {
    return t + 1 < out_.s_ram.size() ? at(out_.s_ram[t + 1], maker) != 0
                                     : in_ram_[index_of(at(columns_, maker))];
  }

  const Problem& problem_;
  const std::vector<Action>& actions_;
  const Replay& replay_;
  const std::vector<TensorId> columns_;
  std::vector<bool> in_ram_;
  std::vector<bool> in_storage_;
  std::size_t next_ = 0;  // action
  std::size_t stage_ = 0;
  ReleasedMatrices out_;
};

}  // namespace

ReleasedMatrices released_matrices(const Problem& problem, const Schedule& schedule,
                                   const Replay& replay, LossEdge loss_edge) {
  POET_CHECK(replay.valid() && replay.moments.size() == schedule.actions.size());
  return StageWalk(problem, schedule, replay, loss_edge).run();
}

}  // namespace poet
