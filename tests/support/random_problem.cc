#include "random_problem.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "poet/problem/facts.h"

namespace poet::testing {
namespace {

// The standard's distributions differ between libraries; its engines do not.
struct Dice {
  std::mt19937_64 engine;

  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(count));
  }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + below(most - least + 1);
  }
  bool percent(int chance) { return below(100) < chance; }
  double quarters(std::int64_t most) { return 0.25 * static_cast<double>(between(0, most)); }
  template <typename T>
  T one_of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))];
  }
};

struct Builder {
  const RandomProblemOptions& options;
  Dice dice;
  Problem problem = {};
  std::vector<TensorId> readable = {};     // by the next operation
  std::vector<TensorId> replaceable = {};  // roots whose value may still be updated
  // How alike tensors and operations of this problem are.
  std::int64_t least_size_bytes = 1;
  std::int64_t most_size_bytes = 1;
  std::int64_t most_compute_quarters = 1;
  std::int64_t most_transfer_quarters = 1;
  std::int64_t spare_outputs =
      2;  // beyond one per operation, in the whole problem: the oracle counts sets of tensors
};

TensorId add_tensor(Builder& build, Tensor tensor) {
  const TensorId id{static_cast<std::int32_t>(build.problem.tensors.size())};
  tensor.name = "t" + std::to_string(index_of(id));
  build.problem.tensors.push_back(std::move(tensor));
  return id;
}

Tensor fresh_tensor(Builder& build) {
  Dice& dice = build.dice;
  const std::int64_t most = build.most_transfer_quarters;
  Tensor tensor;
  tensor.size_bytes = dice.between(build.least_size_bytes, build.most_size_bytes);
  if (build.options.zero_sizes && dice.percent(4)) tensor.size_bytes = 0;
  tensor.page_in_j = dice.quarters(most);
  tensor.page_out_j = dice.quarters(most);
  tensor.page_in_s = dice.quarters(most);
  tensor.page_out_s = dice.quarters(most);
  return tensor;
}

void add_home(Builder& build, Home home) {
  Tensor tensor = fresh_tensor(build);
  tensor.home = home;
  tensor.may_be_resident =
      home == Home::Storage && build.options.choosable_residents && build.dice.percent(35);
  const TensorId id = add_tensor(build, tensor);
  build.readable.push_back(id);
  if (home != Home::Rom) build.replaceable.push_back(id);
}

void add_homes(Builder& build) {
  Dice& dice = build.dice;
  if (build.options.storage_homes) {
    for (std::int64_t left = dice.between(0, 2); left > 0; --left) add_home(build, Home::Storage);
  }
  if (build.options.rom_homes && dice.percent(20)) add_home(build, Home::Rom);
  if (build.options.resident_homes && dice.percent(20)) add_home(build, Home::Resident);
}

// What was made lately, as in a forward pass, or long ago, as in a backward pass, or anything.
TensorId some_readable(Builder& build) {
  const auto count = static_cast<std::int64_t>(build.readable.size());
  const std::int64_t near = build.dice.below(std::min<std::int64_t>(2, count));
  const std::int64_t place = build.dice.one_of<std::int64_t>(
      {count - 1 - near, count - 1 - near, near, build.dice.below(count)});
  return build.readable[static_cast<std::size_t>(place)];
}

void add_inputs(Builder& build, Operation& operation, std::int64_t count) {
  if (build.readable.empty()) return;
  for (; count > 0; --count) {
    const TensorId input = some_readable(build);
    const auto& inputs = operation.inputs;
    if (std::find(inputs.begin(), inputs.end(), input) == inputs.end())
      operation.inputs.push_back(input);
  }
}

void make_view(Builder& build, Operation& operation) {
  add_inputs(build, operation, 1);
  const TensorId root = root_of(build.problem, operation.inputs.front());
  Tensor tensor = at(build.problem.tensors, root);
  tensor.view_of = root;
  tensor.updates.reset();
  tensor.may_be_resident = false;
  operation.view = true;
  operation.outputs = {add_tensor(build, tensor)};
}

// From here on nobody may read the old value, under whatever name.
void retire(Builder& build, TensorId old) {
  std::erase(build.replaceable, old);
  std::erase_if(build.readable,
                [&](TensorId tensor) { return root_of(build.problem, tensor) == old; });
}

void add_new_value(Builder& build, Operation& operation) {
  const TensorId old = build.dice.one_of(build.replaceable);
  Tensor tensor = fresh_tensor(build);
  tensor.size_bytes = at(build.problem.tensors, old).size_bytes;
  tensor.home = at(build.problem.tensors, old).home == Home::Storage ? Home::Made : Home::Resident;
  tensor.updates = old;
  auto& inputs = operation.inputs;
  if (std::find(inputs.begin(), inputs.end(), old) == inputs.end()) inputs.push_back(old);
  operation.outputs.push_back(add_tensor(build, tensor));
  retire(build, old);
}

void make_update(Builder& build, Operation& operation) {
  operation.once = true;
  add_inputs(build, operation, build.dice.between(0, 2));
  add_new_value(build, operation);
  if (!build.replaceable.empty() && build.options.several_outputs && build.dice.percent(30))
    add_new_value(build, operation);
}

void add_made_outputs(Builder& build, Operation& operation) {
  std::int64_t count = operation.outputs.empty() ? 1 : 0;
  if (build.options.several_outputs && build.spare_outputs > 0 && build.dice.percent(20))
    count += build.dice.between(1, build.spare_outputs);
  build.spare_outputs -=
      std::max<std::int64_t>(0, count + static_cast<std::int64_t>(operation.outputs.size()) - 1);
  for (; count > 0; --count) operation.outputs.push_back(add_tensor(build, fresh_tensor(build)));
}

// Every pair that may share a buffer.
std::vector<InPlace> possible_in_place(const Problem& problem, const Operation& operation) {
  std::vector<InPlace> pairs;
  for (const TensorId input : operation.inputs) {
    const Tensor& from = at(problem.tensors, root_of(problem, input));
    if (from.home != Home::Made && from.home != Home::Storage) continue;
    for (const TensorId output : operation.outputs) {
      const Tensor& to = at(problem.tensors, output);
      if (to.home == Home::Made && to.size_bytes <= from.size_bytes)
        pairs.push_back({input, output});
    }
  }
  return pairs;
}

void add_costs(Builder& build, Operation& operation) {
  Dice& dice = build.dice;
  if (build.options.workspace && dice.percent(25))
    operation.workspace_bytes = dice.between(1, build.most_size_bytes);
  if (dice.percent(85)) operation.compute_j = dice.quarters(build.most_compute_quarters);
  if (dice.percent(85)) operation.compute_s = dice.quarters(build.most_compute_quarters);
}

void make_ordinary(Builder& build, Operation& operation) {
  add_inputs(build, operation, build.dice.percent(6) ? 0 : build.dice.between(1, 3));
  operation.once = build.options.once && build.dice.percent(10);
}

void add_operation(Builder& build) {
  Dice& dice = build.dice;
  Operation operation;
  operation.name = "v" + std::to_string(build.problem.operations.size());
  if (build.options.views && !build.readable.empty() && dice.percent(15)) {
    make_view(build, operation);
  } else {
    const bool update = build.options.updates && !build.replaceable.empty() && dice.percent(25);
    update ? make_update(build, operation) : make_ordinary(build, operation);
    add_made_outputs(build, operation);
    add_costs(build, operation);
    const std::vector<InPlace> pairs = possible_in_place(build.problem, operation);
    if (build.options.in_place && !pairs.empty() && dice.percent(35))
      operation.in_place = dice.one_of(pairs);
  }
  for (const TensorId output : operation.outputs) build.readable.push_back(output);
  build.problem.operations.push_back(std::move(operation));
}

void draw_scales(Builder& build) {
  Dice& dice = build.dice;
  if (dice.percent(30)) {
    build.least_size_bytes = build.most_size_bytes = dice.between(1, 5);
  } else {
    build.least_size_bytes = 1;
    build.most_size_bytes = dice.one_of<std::int64_t>({3, 9, 100});
  }
  build.most_compute_quarters = dice.one_of<std::int64_t>({4, 16, 40});
  build.most_transfer_quarters = dice.one_of<std::int64_t>({2, 12, 60});
}

void draw_ram_budget(Builder& build) {
  Dice& dice = build.dice;
  const std::int64_t least = largest_working_set(build.problem).bytes;
  const std::int64_t most = plain_peak_bytes(build.problem);
  const std::int64_t way = std::max<std::int64_t>(0, most - least);
  std::int64_t extra_bytes = dice.between(0, way);
  if (dice.percent(70)) extra_bytes /= 3;  // the interesting end
  if (dice.percent(7)) extra_bytes = -dice.between(1, 1 + least / 8);
  build.problem.ram_budget_bytes = std::max<std::int64_t>(0, least + extra_bytes);
}

void draw_deadline(Builder& build) {
  Dice& dice = build.dice;
  if (!build.options.deadlines || dice.percent(50)) return;
  const Unavoidable least = unavoidable(build.problem);
  const double base_s = dice.percent(50) ? least.time_s : least.compute_s;
  double deadline_s = base_s * dice.one_of<double>({1, 1.25, 1.5, 2, 4});
  if (dice.percent(30)) deadline_s += dice.quarters(build.most_transfer_quarters);
  build.problem.deadline_s = deadline_s;
}

void draw_storage_limits(Builder& build) {
  if (!build.options.storage_limits) return;
  Dice& dice = build.dice;
  std::int64_t home_bytes = 0;
  std::int64_t update_bytes = 0;
  std::int64_t made_bytes = 0;
  for (const Tensor& tensor : build.problem.tensors) {
    if (tensor.view_of) continue;
    if (tensor.home == Home::Storage) home_bytes += tensor.size_bytes;
    if (tensor.home == Home::Made)
      (tensor.updates ? update_bytes : made_bytes) += tensor.size_bytes;
  }
  const std::int64_t slack = dice.percent(5) ? 1 : 0;
  if (dice.percent(30))
    build.problem.storage_capacity_bytes =
        std::max<std::int64_t>(0, home_bytes - slack + dice.between(0, made_bytes));
  if (dice.percent(30))
    build.problem.write_budget_bytes =
        std::max<std::int64_t>(0, update_bytes - slack + dice.between(0, made_bytes));
}

void draw_terms(Builder& build) {
  const RandomProblemOptions& options = build.options;
  Dice& dice = build.dice;
  const bool paging = dice.percent(75);
  const bool rematerialisation = dice.percent(75);
  const TimeMode mode = dice.percent(50) ? TimeMode::Free : TimeMode::Blocking;
  build.problem.paging_allowed = options.paging.value_or(paging);
  build.problem.rematerialisation_allowed = options.rematerialisation.value_or(rematerialisation);
  build.problem.time_mode = options.time_mode.value_or(mode);
  if (options.time_objective && dice.percent(15)) build.problem.objective = Objective::Time;
  if (options.idle_power && dice.percent(25))
    build.problem.idle_w = 0.5 * static_cast<double>(dice.between(1, 4));
}

// By operations themselves. Where it is drawn, the write budget mostly has room for them.
void draw_written_bytes(Builder& build) {
  if (!build.options.written_bytes) return;
  Dice& dice = build.dice;
  for (Operation& operation : build.problem.operations) {
    if (!operation.once || !dice.percent(40)) continue;
    operation.written_bytes = dice.between(1, build.most_size_bytes);
    std::optional<std::int64_t>& budget = build.problem.write_budget_bytes;
    if (budget && !dice.percent(10)) *budget += operation.written_bytes;
  }
}

}  // namespace

RandomProblemOptions simple_family() {
  RandomProblemOptions options;
  options.several_outputs = false;
  options.views = false;
  options.storage_homes = false;
  options.rom_homes = false;
  options.resident_homes = false;
  options.choosable_residents = false;
  options.updates = false;
  options.once = false;
  options.in_place = false;
  options.workspace = false;
  options.written_bytes = false;
  options.idle_power = false;
  options.storage_limits = false;
  options.time_objective = false;
  options.time_mode = TimeMode::Free;
  return options;
}

Problem random_problem(const RandomProblemOptions& options, std::uint64_t seed) {
  Builder build{.options = options, .dice = {std::mt19937_64(seed)}};
  build.problem.name = "random " + std::to_string(seed);
  draw_scales(build);
  add_homes(build);
  for (std::int64_t left = build.dice.between(options.least_operations, options.most_operations);
       left > 0; --left)
    add_operation(build);
  draw_terms(build);
  draw_ram_budget(build);
  draw_deadline(build);
  draw_storage_limits(build);
  draw_written_bytes(build);
  return build.problem;
}

}  // namespace poet::testing
