#include "poet/verify/random_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <vector>

#include "poet/verify/replay.h"

namespace poet::testing {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  // The distributions of the standard library differ from one library to the next.
  std::int32_t below(std::size_t count) { return static_cast<std::int32_t>(engine_() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::mt19937_64 engine_;
};

OperationId operation_at(std::size_t v) {
  return OperationId{static_cast<std::int32_t>(v)};
}
TensorId tensor_at(std::size_t i) {
  return TensorId{static_cast<std::int32_t>(i)};
}

class ProblemMaker {
 public:
  explicit ProblemMaker(std::uint64_t seed) : dice_(seed) {}

  Problem make() {
    problem_.ram_budget_bytes = 1'000'000;
    for (const Home home : {Home::Storage, Home::Storage, Home::Storage, Home::Resident, Home::Rom})
      if (add_tensor(home); home == Home::Storage)
        problem_.tensors.back().may_be_resident = dice_.one_in(3);
    parameters_ = problem_.tensors.size() - 1;  // all but the rom
    add_operation();
    for (int left = 1 + dice_.below(7); left > 0; --left)
      dice_.one_in(5) ? add_view() : add_operation();
    for (std::size_t i = 0; i < parameters_; ++i)
      if (dice_.one_in(2)) add_update(tensor_at(i));
    return problem_;
  }

 private:
  TensorId add_tensor(Home home) {
    Tensor tensor;
    tensor.name = fmt::format("t{}", problem_.tensors.size());
    tensor.home = home;
    tensor.size_bytes = dice_.below(10);
    tensor.page_in_s = dice_.below(6);
    tensor.page_out_s = dice_.below(9);
    tensor.page_in_j = dice_.below(100);
    tensor.page_out_j = dice_.below(100);
    problem_.tensors.push_back(tensor);
    return tensor_at(problem_.tensors.size() - 1);
  }

  Operation new_operation() {
    Operation operation;
    operation.name = fmt::format("v{}", problem_.operations.size());
    operation.workspace_bytes = dice_.below(4);
    operation.compute_s = dice_.below(6);
    operation.compute_j = dice_.below(100);
    return operation;
  }

  TensorId root(TensorId tensor) const {
    return at(problem_.tensors, tensor).view_of.value_or(tensor);
  }

  void add_operation() {
    Operation operation = new_operation();
    operation.once = dice_.one_in(8);
    for (int left = 1 + dice_.below(3); left > 0; --left) {
      const TensorId input = tensor_at(dice_.below(problem_.tensors.size()));
      if (std::find(operation.inputs.begin(), operation.inputs.end(), input) ==
          operation.inputs.end())
        operation.inputs.push_back(input);
    }
    for (int left = 1 + dice_.below(2); left > 0; --left)
      operation.outputs.push_back(add_tensor(Home::Made));
    const InPlace in_place = {operation.inputs[0], operation.outputs[0]};
    if (at(problem_.tensors, root(in_place.input)).size_bytes >=
        at(problem_.tensors, in_place.output).size_bytes)
      operation.in_place = in_place;
    problem_.operations.push_back(operation);
  }

  void add_view() {
    const TensorId input = tensor_at(dice_.below(problem_.tensors.size()));
    const TensorId output = add_tensor(at(problem_.tensors, input).home);
    at(problem_.tensors, output).view_of = root(input);
    Operation operation;
    operation.name = fmt::format("v{}", problem_.operations.size());
    operation.view = true;
    operation.inputs = {input};
    operation.outputs = {output};
    problem_.operations.push_back(operation);
  }

  void add_update(TensorId old) {
    Operation operation = new_operation();
    operation.once = true;
    operation.inputs = {old, problem_.operations[0].outputs[0]};
    const Home home = at(problem_.tensors, old).home;
    const TensorId fresh = add_tensor(home == Home::Storage ? Home::Made : Home::Resident);
    at(problem_.tensors, fresh).updates = old;
    at(problem_.tensors, fresh).size_bytes = at(problem_.tensors, old).size_bytes;
    operation.outputs = {fresh};
    if (dice_.one_in(2)) operation.in_place = InPlace{old, fresh};
    problem_.operations.push_back(operation);
  }

  Dice dice_;
  Problem problem_;
  std::size_t parameters_ = 0;
};

// Keeps, by tensor, what it has done so far, so that it never does what a rule forbids.
class ScheduleMaker {
 public:
  ScheduleMaker(const Problem& problem, std::uint64_t seed)
      : problem_(problem),
        dice_(seed),
        here_(problem.tensors.size(), false),
        copied_(problem.tensors.size(), false),
        fixed_(problem.tensors.size(), false),
        updated_(problem.tensors.size(), false),
        gone_(problem.tensors.size(), false),
        producer_(problem.tensors.size()) {
    for (std::size_t i = 0; i < problem.tensors.size(); ++i) start(tensor_at(i));
    for (std::size_t v = 0; v < problem.operations.size(); ++v)
      for (const TensorId output : problem.operations[v].outputs)
        at(producer_, output) = operation_at(v);
  }

  Schedule make() {
    for (std::size_t v = 0; v < problem_.operations.size(); ++v) {
      run(operation_at(v));
      for (std::size_t i = 0; i < problem_.tensors.size(); ++i) fidget(tensor_at(i));
    }
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i)
      if (problem_.tensors[i].updates && !fixed_[i] && !copied_[i]) page_out(tensor_at(i));
    return schedule_;
  }

 private:
  void start(TensorId id) {
    const Tensor& tensor = at(problem_.tensors, id);
    const std::size_t i = static_cast<std::size_t>(index_of(id));
    fixed_[i] = tensor.home == Home::Rom || tensor.home == Home::Resident;
    copied_[i] = tensor.home == Home::Storage;
    if (tensor.may_be_resident && dice_.one_in(2)) {
      schedule_.resident.push_back(id);
      fixed_[i] = true;
    }
    if (!tensor.updates) return;
    updated_[index_of(*tensor.updates)] = true;
    if (fixed_[index_of(*tensor.updates)]) fixed_[i] = true;  // its old value comes before it
  }

  TensorId root(TensorId tensor) const {
    return at(problem_.tensors, tensor).view_of.value_or(tensor);
  }

  // Can be made again at any later time.
  bool pure(TensorId tensor) const {
    if (at(problem_.tensors, tensor).home != Home::Made) return false;
    const Operation& operation = at(problem_.operations, at(producer_, tensor));
    return !operation.once &&
           std::none_of(operation.inputs.begin(), operation.inputs.end(),
                        [&](TensorId input) { return updated_[index_of(root(input))]; });
  }

  void page_out(TensorId tensor) {
    schedule_.actions.emplace_back(PageOut{tensor});
    copied_[index_of(tensor)] = true;
  }
  void drop(TensorId tensor) {
    schedule_.actions.emplace_back(Drop{tensor});
    here_[index_of(tensor)] = false;
  }

  void bring(TensorId tensor) {
    if (fixed_[index_of(tensor)] || here_[index_of(tensor)]) return;
    if (!copied_[index_of(tensor)] || (pure(tensor) && dice_.one_in(2)))
      return run(at(producer_, tensor));
    schedule_.actions.emplace_back(PageIn{tensor});
    here_[index_of(tensor)] = true;
  }

  void run(OperationId id) {
    const Operation& operation = at(problem_.operations, id);
    ++depth_;
    for (const TensorId input : operation.inputs) bring(root(input));
    --depth_;
    schedule_.actions.emplace_back(Compute{id});
    for (const TensorId output : operation.outputs) {
      const Tensor& tensor = at(problem_.tensors, output);
      if (!tensor.view_of && !fixed_[index_of(output)]) here_[index_of(output)] = true;
      if (tensor.updates) gone_[index_of(*tensor.updates)] = true;
    }
    // Deeper down the input may be one that the operation above has just brought.
    if (operation.in_place && depth_ == 0) drop_if_safe(root(operation.in_place->input));
  }

  void drop_if_safe(TensorId tensor) {
    const std::int32_t i = index_of(tensor);
    if (here_[i] && (gone_[i] || copied_[i] || pure(tensor)) && dice_.one_in(2)) drop(tensor);
  }

  void fidget(TensorId tensor) {
    const std::int32_t i = index_of(tensor);
    if (!here_[i]) return;
    if (!gone_[i] && dice_.one_in(4)) page_out(tensor);
    if (!gone_[i] && copied_[i] && dice_.one_in(12)) schedule_.actions.emplace_back(PageIn{tensor});
    drop_if_safe(tensor);
  }

  const Problem& problem_;
  Dice dice_;
  Schedule schedule_;
  int depth_ = 0;  // of recomputations
  std::vector<bool> here_, copied_, fixed_, updated_, gone_;
  std::vector<OperationId> producer_;
};

}  // namespace

RandomStep random_step(std::uint64_t seed) {
  RandomStep step;
  step.problem = ProblemMaker(seed).make();
  step.schedule = ScheduleMaker(step.problem, seed + 1).make();
  return step;
}

RandomStep step_in_memories(std::uint64_t seed) {
  RandomStep step = random_step(seed);
  Problem& problem = step.problem;
  problem.further_memories = {
      {.size_bytes = 1'000, .read_s_per_byte = 1, .write_s_per_byte = 2, .write_j_per_byte = 0.5},
      {.size_bytes = 1'000, .read_s_per_byte = 0, .read_j_per_byte = 0.25, .write_s_per_byte = 1}};
  std::vector<PlacedBuffer>& placed = step.schedule.placed;
  std::uint64_t draw = seed * 2654435761u + 17;
  const auto place = [&](TensorId tensor, std::optional<std::int64_t> action) {
    draw = draw * 6364136223846793005u + 1442695040888963407u;
    const auto memory = static_cast<std::int32_t>(draw >> 33) % 3;
    if (memory > 0) placed.push_back({tensor, action, MemoryId{memory}});
  };
  const auto actions = static_cast<std::int64_t>(step.schedule.actions.size());
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const TensorId tensor{static_cast<std::int32_t>(i)};
    place(tensor, std::nullopt);
    for (std::int64_t a = 0; a < actions; ++a) place(tensor, a);
  }
  // Places of buffers that nobody takes are the only ones that it finds fault with.
  for (const Finding& finding : replay(problem, step.schedule).findings)
    std::erase_if(placed, [&](const PlacedBuffer& one) {
      return finding.rule == Rule::WrongPlace && one.tensor == finding.tensor &&
             one.action.value_or(0) == finding.action;
    });
  const Replay replayed = replay(problem, step.schedule);
  problem.ram_budget_bytes = replayed.peak_ram_bytes;
  for (std::size_t m = 0; m < 2; ++m)
    problem.further_memories[m].size_bytes = replayed.further_peak_bytes[m];
  return step;
}

Schedule random_actions(const Problem& problem, std::uint64_t seed) {
  Dice dice(seed);
  Schedule schedule;
  for (int left = dice.below(60); left > 0; --left) {
    const TensorId tensor{dice.below(problem.tensors.size() + 2) - 1};
    const OperationId operation{dice.below(problem.operations.size() + 2) - 1};
    const std::vector<Action> choices = {Compute{operation}, PageOut{tensor}, PageIn{tensor},
                                         Drop{tensor}};
    schedule.actions.push_back(choices[static_cast<std::size_t>(dice.below(4))]);
    if (dice.one_in(20)) schedule.resident.push_back(tensor);
  }
  return schedule;
}

}  // namespace poet::testing
