// From the matrices of the released formulation to a list of actions (docs/model/released.md §2.1).
#include <algorithm>

#include "poet/problem/facts.h"
#include "poet/solve/released_model.h"

namespace poet {
namespace {

// Walks the stages while counting RAM. Tensors are named by the operation that makes them.
class StageWalk {
 public:
  StageWalk(const Problem& problem, const SolvedMatrices& matrices)
      : problem_(problem), matrices_(matrices), stages_(matrices.runs.stages()) {
    const auto producer = producers(problem);
    for (const Operation& operation : problem.operations) {
      inputs_.emplace_back();
      for (const TensorId input : operation.inputs)
        inputs_.back().push_back(index_of(*at(producer, input)));
    }
    in_ram_.assign(stages_, false);
    stored_.assign(stages_, false);
  }

  std::optional<Schedule> walk() {
    for (std::int32_t t = 0; t < stages_ && valid_; ++t) {
      write(t);
      drop_useless(t, -1);
      for (std::int32_t k = 0; k <= t; ++k)
        if (matrices_.runs.at(t, k)) compute(t, k);
      read(t);
    }
    if (!valid_) return std::nullopt;
    return std::move(schedule_);
  }

 private:
  TensorId tensor_of(std::int32_t i) const { return problem_.operations[i].outputs.front(); }
  std::int64_t size_bytes(std::int32_t i) const {
    return at(problem_.tensors, tensor_of(i)).size_bytes;
  }

  void take(std::int32_t i) {
    in_ram_[i] = true;
    used_bytes_ += size_bytes(i);
    valid_ = valid_ && used_bytes_ <= problem_.ram_budget_bytes;
  }

  void write(std::int32_t t) {
    for (std::int32_t i = 0; i < t; ++i) {
      if (!matrices_.page_out.at(t, i) || stored_[i]) continue;
      valid_ = valid_ && in_ram_[i];
      schedule_.actions.emplace_back(PageOut{tensor_of(i)});
      stored_[i] = true;
    }
  }

  void compute(std::int32_t t, std::int32_t k) {
    if (in_ram_[k]) return;
    for (const std::int32_t i : inputs_[k]) valid_ = valid_ && in_ram_[i];
    schedule_.actions.emplace_back(Compute{OperationId{k}});
    take(k);
    drop_useless(t, k);
  }

  void read(std::int32_t t) {
    for (std::int32_t i = 0; i < t; ++i) {
      const bool kept = t + 1 < stages_ && matrices_.in_ram.at(t + 1, i);
      if (!matrices_.page_in.at(t, i) || in_ram_[i] || !kept) continue;
      valid_ = valid_ && stored_[i];
      schedule_.actions.emplace_back(PageIn{tensor_of(i)});
      take(i);
    }
  }

  // Whether something in stage t after operation k, or the next stage, rests on tensor i.
  bool needed(std::int32_t t, std::int32_t k, std::int32_t i) const {
    if (t + 1 < stages_ && matrices_.in_ram.at(t + 1, i)) return true;
    for (std::int32_t j = k + 1; j <= t; ++j) {
      const bool reads = std::find(inputs_[j].begin(), inputs_[j].end(), i) != inputs_[j].end();
      if (reads && matrices_.runs.at(t, j)) return true;
    }
    return false;
  }

  void drop_useless(std::int32_t t, std::int32_t k) {
    for (std::int32_t i = 0; i < stages_; ++i) {
      if (!in_ram_[i] || needed(t, k, i)) continue;
      schedule_.actions.emplace_back(Drop{tensor_of(i)});
      in_ram_[i] = false;
      used_bytes_ -= size_bytes(i);
    }
  }

  const Problem& problem_;
  const SolvedMatrices& matrices_;
  const std::int32_t stages_;
  std::vector<std::vector<std::int32_t>> inputs_ = {};
  std::vector<bool> in_ram_ = {};
  std::vector<bool> stored_ = {};
  std::int64_t used_bytes_ = 0;
  bool valid_ = true;
  Schedule schedule_ = {};
};

}  // namespace

std::optional<Schedule> released_schedule(const Problem& problem, const SolvedMatrices& matrices) {
  return StageWalk(problem, matrices).walk();
}

}  // namespace poet
