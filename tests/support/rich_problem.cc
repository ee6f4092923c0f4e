#include "rich_problem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <random>
#include <variant>
#include <vector>

#include "cheapest.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"
#include "random_problem.h"
#include "random_schedule.h"

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
};

RandomProblemOptions some_features(Dice& dice) {
  RandomProblemOptions options;
  options.least_operations = 2;
  options.most_operations = dice.percent(30) ? 7 : 5;
  options.deadlines = options.storage_limits = false;  // they follow the sizes and times drawn here
  for (bool RandomProblemOptions::*const feature :
       {&RandomProblemOptions::several_outputs, &RandomProblemOptions::views,
        &RandomProblemOptions::storage_homes, &RandomProblemOptions::rom_homes,
        &RandomProblemOptions::resident_homes, &RandomProblemOptions::choosable_residents,
        &RandomProblemOptions::updates, &RandomProblemOptions::once,
        &RandomProblemOptions::in_place, &RandomProblemOptions::workspace,
        &RandomProblemOptions::idle_power, &RandomProblemOptions::time_objective})
    options.*feature = dice.percent(55);
  return options;
}

// --- sizes ---------------------------------------------------------------------------------------

// One way to draw the sizes of a whole problem.
struct Sizes {
  enum class Kind { Any, Alike, Multiples, LargeAndSmall };
  Kind kind = Kind::Any;
  std::int64_t base_bytes = 1;

  std::int64_t draw(Dice& dice) const {
    if (dice.percent(4)) return 0;
    switch (kind) {
      case Kind::Any:  // every magnitude
        return (std::int64_t{1} << dice.between(0, 40)) - dice.below(2);
      case Kind::Alike:
        return base_bytes + dice.below(9);
      case Kind::Multiples:
        return std::max<std::int64_t>(0, base_bytes * dice.between(1, 3) + dice.below(9) - 4);
      case Kind::LargeAndSmall:
        return dice.percent(40) ? dice.between(1, 12) : dice.between(1, base_bytes);
    }
    return 1;
  }
};

Sizes some_sizes(Dice& dice) {
  static constexpr std::array kKinds{Sizes::Kind::Any, Sizes::Kind::Alike, Sizes::Kind::Multiples,
                                     Sizes::Kind::LargeAndSmall};
  return {kKinds[static_cast<std::size_t>(dice.below(4))],
          std::int64_t{1} << dice.between(4, dice.percent(20) ? 50 : 38)};
}

// All together at most 2^53: halved as often as it takes.
void keep_well_formed(Problem& problem) {
  const auto sum_bytes = [&problem] {
    std::int64_t sum = 0;
    for (const Tensor& tensor : problem.tensors) sum += tensor.size_bytes;
    for (const Operation& operation : problem.operations)
      sum += operation.workspace_bytes + operation.written_bytes;
    return sum;
  };
  while (sum_bytes() > std::int64_t{1} << 53) {
    for (Tensor& tensor : problem.tensors) tensor.size_bytes -= tensor.size_bytes / 2;
    for (Operation& operation : problem.operations)
      operation.workspace_bytes -= operation.workspace_bytes / 2;
  }
}

// What docs/model/problem.md §1 asks of the sizes of one problem: views have their root's, new
// values their old value's, and an output that takes over a buffer is not larger than the input.
void draw_sizes(Dice& dice, Problem& problem) {
  const Sizes sizes = some_sizes(dice);
  for (Tensor& tensor : problem.tensors)
    if (!tensor.view_of && !tensor.updates) tensor.size_bytes = sizes.draw(dice);
  for (Tensor& tensor : problem.tensors)
    if (tensor.updates) tensor.size_bytes = at(problem.tensors, *tensor.updates).size_bytes;
  for (Tensor& tensor : problem.tensors)
    if (tensor.view_of) tensor.size_bytes = at(problem.tensors, *tensor.view_of).size_bytes;
  for (Operation& operation : problem.operations) {
    if (operation.workspace_bytes > 0) operation.workspace_bytes = sizes.draw(dice);
    if (!operation.in_place) continue;
    const TensorId input = root_of(problem, operation.in_place->input);
    Tensor& output = at(problem.tensors, operation.in_place->output);
    if (output.size_bytes > at(problem.tensors, input).size_bytes) operation.in_place.reset();
  }
  keep_well_formed(problem);
}

// --- costs and times -----------------------------------------------------------------------------

// One way to draw the costs, or the times, of a whole problem.
struct Amounts {
  enum class Kind { Decimals, Magnitudes, Fractions, Few };
  Kind kind = Kind::Decimals;
  double unit = 0.01;

  double draw(Dice& dice) const {
    if (dice.percent(12)) return 0;
    switch (kind) {
      case Kind::Decimals:
        return static_cast<double>(dice.between(1, 500)) * unit;
      case Kind::Magnitudes:
        return static_cast<double>(dice.between(1, 9)) *
               std::pow(10.0, static_cast<double>(dice.between(-3, 9)));
      case Kind::Fractions:
        return static_cast<double>(dice.between(1, 1 << 20)) / 1048573.0;
      case Kind::Few:
        return static_cast<double>(dice.between(1, 3)) * 100 * unit;
    }
    return 1;
  }
};

Amounts some_amounts(Dice& dice) {
  static constexpr std::array kKinds{Amounts::Kind::Decimals, Amounts::Kind::Decimals,
                                     Amounts::Kind::Magnitudes, Amounts::Kind::Fractions,
                                     Amounts::Kind::Few};
  static constexpr std::array kUnits{0.1, 0.01, 0.001, 1e-6};
  return {kKinds[static_cast<std::size_t>(dice.below(5))],
          kUnits[static_cast<std::size_t>(dice.below(4))]};
}

void draw_costs(Dice& dice, Problem& problem) {
  const Amounts compute_j = some_amounts(dice), transfer_j = some_amounts(dice);
  const Amounts compute_s = some_amounts(dice);
  const Amounts transfer_s = dice.percent(60) ? compute_s : some_amounts(dice);
  for (Operation& operation : problem.operations) {
    if (operation.view) continue;
    operation.compute_j = compute_j.draw(dice);
    operation.compute_s = compute_s.draw(dice);
  }
  for (Tensor& tensor : problem.tensors) {
    tensor.page_in_j = transfer_j.draw(dice);
    tensor.page_out_j = transfer_j.draw(dice);
    tensor.page_in_s = transfer_s.draw(dice);
    tensor.page_out_s = transfer_s.draw(dice);
  }
  for (Tensor& tensor : problem.tensors)
    if (tensor.view_of) {
      const Tensor root = at(problem.tensors, *tensor.view_of);
      tensor.page_in_j = root.page_in_j;
      tensor.page_out_j = root.page_out_j;
      tensor.page_in_s = root.page_in_s;
      tensor.page_out_s = root.page_out_s;
    }
}

// --- limits --------------------------------------------------------------------------------------

constexpr std::int64_t kAmple_bytes = std::int64_t{1} << 58;

// What the schedule takes, added in an order of its own.
double shuffled_time_s(Dice& dice, const Problem& problem, const Schedule& schedule) {
  std::vector<double> times_s;
  const bool waits = problem.time_mode == TimeMode::Blocking;
  for (const Action& action : schedule.actions) {
    if (const auto* const compute = std::get_if<Compute>(&action))
      times_s.push_back(at(problem.operations, compute->operation).compute_s);
    if (const auto* const read = std::get_if<PageIn>(&action); read && waits)
      times_s.push_back(at(problem.tensors, read->tensor).page_in_s);
    if (const auto* const write = std::get_if<PageOut>(&action); write && waits)
      times_s.push_back(at(problem.tensors, write->tensor).page_out_s);
  }
  for (std::size_t n = times_s.size(); n > 1; --n)
    std::swap(times_s[n - 1],
              times_s[static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(n)))]);
  double sum_s = 0;
  for (const double time_s : times_s) sum_s += time_s;
  return sum_s;
}

// What a user might take for a budget: a working set or the plain peak, a sum of some sizes.
std::int64_t some_budget_bytes(Dice& dice, const Problem& problem) {
  const std::int64_t least = largest_working_set(problem).bytes;
  if (dice.percent(35)) return least;
  if (dice.percent(10)) return plain_peak_bytes(problem);
  const std::size_t place =
      static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(problem.tensors.size())));
  return least + problem.tensors[place].size_bytes;
}

// A schedule to meet the limits of: the best under some budget, or any.
std::optional<Schedule> some_schedule(Dice& dice, Problem problem) {
  if (dice.percent(20)) return random_schedule(problem, dice.engine());
  problem.ram_budget_bytes = some_budget_bytes(dice, problem);
  if (dice.percent(30)) problem.objective = Objective::Time;
  return cheapest_schedule(problem);
}

std::int64_t met(Dice& dice, std::int64_t bytes) {
  if (dice.percent(12)) return std::max<std::int64_t>(0, bytes - 1);
  return dice.percent(8) ? bytes + 1 : bytes;
}

void draw_limits(Dice& dice, Problem& problem) {
  problem.ram_budget_bytes = some_budget_bytes(dice, problem);
  if (dice.percent(15)) return;
  const std::optional<Schedule> schedule = some_schedule(dice, problem);
  if (!schedule) return;
  Problem ample = problem;
  ample.ram_budget_bytes = kAmple_bytes;
  const Replay figures = replay(ample, *schedule);
  if (dice.percent(75)) problem.ram_budget_bytes = met(dice, figures.peak_ram_bytes);
  if (dice.percent(45)) {
    problem.deadline_s = shuffled_time_s(dice, problem, *schedule);
    if (dice.percent(8)) problem.deadline_s = *problem.deadline_s * (1 - 1e-6);
  }
  if (dice.percent(25)) problem.storage_capacity_bytes = met(dice, figures.storage_bytes);
  if (dice.percent(25)) problem.write_budget_bytes = met(dice, figures.written_bytes);
}

}  // namespace

Problem rich_problem(std::uint64_t seed) {
  Dice dice{std::mt19937_64(seed)};
  Problem problem = random_problem(some_features(dice), dice.engine());
  problem.name = "rich " + std::to_string(seed);
  if (dice.percent(85)) draw_sizes(dice, problem);
  if (dice.percent(85)) draw_costs(dice, problem);
  draw_limits(dice, problem);
  return problem;
}

}  // namespace poet::testing
