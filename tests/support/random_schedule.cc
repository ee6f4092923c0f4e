#include "support/random_schedule.h"

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "poet/problem/facts.h"

namespace poet::testing {
namespace {

class Walk {
 public:
  Walk(const Problem& problem, std::uint64_t seed)
      : problem_(problem),
        engine_(seed),
        producer_(producers(problem)),
        state_(problem.tensors.size()) {
    for (std::size_t i = 0; i < problem.tensors.size(); ++i) begin(static_cast<TensorId>(i));
    for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
      const std::optional<TensorId>& old = problem.tensors[i].updates;
      if (!old) continue;
      state(*old).updated = true;
      state_[i].fixed = state(*old).fixed;
    }
  }

  Schedule make() {
    for (std::size_t v = 0; v < problem_.operations.size(); ++v) {
      execute(static_cast<OperationId>(v), 0);
      for (std::size_t i = 0; i < state_.size(); ++i) fidget(static_cast<TensorId>(i));
    }
    for (std::size_t i = 0; i < state_.size(); ++i)
      if (problem_.tensors[i].updates && !state_[i].fixed && !state_[i].copied)
        write(static_cast<TensorId>(i));
    return schedule_;
  }

 private:
  struct State {
    bool fixed = false;     // never moves
    bool updated = false;   // in this step, sooner or later
    bool here = false;      // in RAM
    bool copied = false;    // in storage
    bool replaced = false;  // its new value is made
  };

  bool one_in(std::uint64_t count) { return engine_() % count == 0; }
  State& state(TensorId tensor) { return at(state_, tensor); }

  void begin(TensorId id) {
    const Tensor& tensor = at(problem_.tensors, id);
    State& now = state(id);
    now.copied = tensor.home == Home::Storage;
    now.fixed = tensor.home == Home::Rom || tensor.home == Home::Resident;
    if (!tensor.may_be_resident || one_in(2)) return;
    schedule_.resident.push_back(id);
    now.fixed = true;
  }

  // It can be made again at any time.
  bool is_pure(TensorId tensor) {
    const std::optional<OperationId>& producer = at(producer_, tensor);
    if (!producer || at(problem_.operations, *producer).once) return false;
    const std::vector<TensorId>& inputs = at(problem_.operations, *producer).inputs;
    return std::none_of(inputs.begin(), inputs.end(),
                        [&](TensorId input) { return state(root_of(problem_, input)).updated; });
  }

  void write(TensorId tensor) {
    schedule_.actions.emplace_back(PageOut{tensor});
    state(tensor).copied = true;
  }

  void drop(TensorId tensor) {
    schedule_.actions.emplace_back(Drop{tensor});
    state(tensor).here = false;
  }

  void bring(TensorId tensor, int depth) {
    State& now = state(tensor);
    if (now.fixed || now.here) return;
    if (!now.copied || (is_pure(tensor) && depth < 3 && one_in(2)))
      return execute(*at(producer_, tensor), depth + 1);
    schedule_.actions.emplace_back(PageIn{tensor});
    now.here = true;
  }

  void execute(OperationId id, int depth) {
    const Operation& operation = at(problem_.operations, id);
    for (const TensorId input : operation.inputs) bring(root_of(problem_, input), depth);
    schedule_.actions.emplace_back(Compute{id});
    for (const TensorId output : operation.outputs) {
      const Tensor& tensor = at(problem_.tensors, output);
      if (!tensor.view_of && !state(output).fixed) state(output).here = true;
      if (tensor.updates) state(*tensor.updates).replaced = true;
    }
    // Deeper down the input may be one that is needed further up.
    if (!operation.in_place || depth > 0) return;
    const TensorId input = root_of(problem_, operation.in_place->input);
    if (state(input).here && may_go(input) && !one_in(4)) drop(input);
  }

  bool may_go(TensorId tensor) {
    return state(tensor).replaced || state(tensor).copied || is_pure(tensor);
  }

  void fidget(TensorId tensor) {
    State& now = state(tensor);
    if (!now.here) return;
    if (now.replaced) return drop(tensor);
    if (one_in(12)) write(tensor);
    if (now.copied && one_in(40)) schedule_.actions.emplace_back(PageIn{tensor});
    // What is not copied is seldom dropped: chains of what must be made again grow fast.
    if (may_go(tensor) && one_in(now.copied ? 3 : 12)) drop(tensor);
  }

  const Problem& problem_;
  std::mt19937_64 engine_;
  std::vector<std::optional<OperationId>> producer_;
  std::vector<State> state_;
  Schedule schedule_;
};

}  // namespace

Schedule random_schedule(const Problem& problem, std::uint64_t seed) {
  return Walk(problem, seed).make();
}

}  // namespace poet::testing
