#include "cheapest_in_memories.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "poet/base/check.h"
#include "poet/problem/schedule.h"

namespace poet::testing {
namespace {

constexpr std::int8_t kNowhere = -1;

// Where each tensor lies (a memory, or nowhere), and whether a copy of it is in storage.
struct Places {
  std::vector<std::int8_t> memory = {};
  std::vector<bool> stored = {};
  auto operator<=>(const Places&) const = default;
};

struct Paid {
  double objective = 0;
  double time_s = 0;
  std::size_t last_step = 0;  // in MemoryOracle::steps_; 0 is the beginning
};

// What was done: an action, with the memories of the buffers that it took, and perhaps the drop of
// the input whose buffer was taken over.
struct OracleStep {
  std::size_t before = 0;
  std::vector<Action> actions = {};
  std::vector<PlacedBuffer> placed = {};  // their action is set in the end
};

// Per state what nothing else is better than in both.
using Reachable = std::map<Places, std::vector<Paid>>;

class MemoryOracle {
 public:
  // `fixed`: for each tensor the memory of a resident, chosen or not; kNowhere of others.
  MemoryOracle(const Problem& problem, std::vector<std::int8_t> fixed)
      : problem_(problem), fixed_(std::move(fixed)) {}

  std::optional<CheapestInMemories> run() {
    Places begin;
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
      const Tensor& tensor = problem_.tensors[i];
      const bool is_there = fixed_[i] != kNowhere && !tensor.updates;
      begin.memory.push_back(is_there ? fixed_[i] : kNowhere);
      begin.stored.push_back(tensor.home == Home::Storage && !tensor.view_of);
    }
    if (!limits_hold(begin)) return std::nullopt;
    steps_.resize(1);
    Reachable now;
    add(now, begin, {});
    move_freely(now, 0);
    for (std::size_t stage = 0; stage < problem_.operations.size(); ++stage) {
      for (std::size_t k = 0; k < stage; ++k)
        if (may_repeat(k, stage)) {
          Reachable more = executed(now, k);
          for (const auto& [places, all] : more)
            for (const Paid& paid : all) add(now, places, paid);
          move_freely(now, stage);
        }
      now = executed(now, stage);
      move_freely(now, stage + 1);
    }
    return best_end(now);
  }

 private:
  const Tensor& tensor(std::size_t i) const { return problem_.tensors[i]; }
  std::size_t root(TensorId id) const {
    return static_cast<std::size_t>(index_of(at(problem_.tensors, id).view_of.value_or(id)));
  }
  bool is_fixed(std::size_t i) const { return fixed_[i] != kNowhere; }
  bool is_rom(std::size_t i) const { return tensor(i).home == Home::Rom; }

  std::optional<std::size_t> updater(std::size_t i) const {
    for (std::size_t v = 0; v < problem_.operations.size(); ++v)
      for (const TensorId output : problem_.operations[v].outputs) {
        const std::optional<TensorId>& old = at(problem_.tensors, output).updates;
        if (old && static_cast<std::size_t>(index_of(*old)) == i) return v;
      }
    return std::nullopt;
  }

  bool may_repeat(std::size_t k, std::size_t stage) const {
    const Operation& operation = problem_.operations[k];
    if (!problem_.rematerialisation_allowed || operation.once || operation.view) return false;
    for (const TensorId input : operation.inputs)
      if (const auto update = updater(root(input)); update && stage > *update) return false;
    return true;
  }

  static bool beaten(const std::vector<Paid>& all, const Paid& paid) {
    return std::any_of(all.begin(), all.end(), [&](const Paid& other) {
      return other.objective <= paid.objective && other.time_s <= paid.time_s;
    });
  }

  bool in_time(const Paid& paid) const {
    return !problem_.deadline_s || paid.time_s <= *problem_.deadline_s * (1 + 1e-9);
  }

  bool add(Reachable& now, const Places& places, const Paid& paid) const {
    std::vector<Paid>& all = now[places];
    if (!in_time(paid) || beaten(all, paid)) return false;
    std::erase_if(all, [&](const Paid& other) { return beaten({paid}, other); });
    all.push_back(paid);
    return true;
  }

  Paid charged(Paid paid, double energy_j, double time_s) const {
    paid.time_s += time_s;
    paid.objective +=
        problem_.objective == Objective::Time ? time_s : energy_j + problem_.idle_w * time_s;
    return paid;
  }

  std::int64_t room(std::int8_t memory) const {
    return memory == 0 ? problem_.ram_budget_bytes
                       : problem_.further_memories[static_cast<std::size_t>(memory) - 1].size_bytes;
  }
  double read_s(std::int8_t m, std::size_t i) const {
    return m <= 0 ? 0 : further(m).read_s_per_byte * static_cast<double>(tensor(i).size_bytes);
  }
  double read_j(std::int8_t m, std::size_t i) const {
    return m <= 0 ? 0 : further(m).read_j_per_byte * static_cast<double>(tensor(i).size_bytes);
  }
  double write_s(std::int8_t m, std::size_t i) const {
    return m <= 0 ? 0 : further(m).write_s_per_byte * static_cast<double>(tensor(i).size_bytes);
  }
  double write_j(std::int8_t m, std::size_t i) const {
    return m <= 0 ? 0 : further(m).write_j_per_byte * static_cast<double>(tensor(i).size_bytes);
  }
  const FurtherMemory& further(std::int8_t m) const {
    return problem_.further_memories[static_cast<std::size_t>(m) - 1];
  }
  std::int8_t memories() const {
    return static_cast<std::int8_t>(problem_.further_memories.size() + 1);
  }

  // Whether every memory has room for what lies in it, with so many bytes more or less of each.
  bool fits(const Places& places, std::vector<std::int64_t> more_bytes) const {
    for (std::size_t i = 0; i < places.memory.size(); ++i) {
      // The new value of a resident lies where the old one does.
      const bool counts = places.memory[i] != kNowhere && !(is_fixed(i) && tensor(i).updates);
      if (counts) more_bytes[static_cast<std::size_t>(places.memory[i])] += tensor(i).size_bytes;
    }
    for (std::int8_t m = 0; m < memories(); ++m)
      if (more_bytes[static_cast<std::size_t>(m)] > room(m)) return false;
    return true;
  }
  std::vector<std::int64_t> nothing_more() const {
    return std::vector<std::int64_t>(static_cast<std::size_t>(memories()), 0);
  }

  bool limits_hold(const Places& places) const {
    std::int64_t written = 0, in_use = 0;
    for (const Operation& operation : problem_.operations) written += operation.written_bytes;
    for (std::size_t i = 0; i < places.stored.size(); ++i) {
      if (tensor(i).home == Home::Storage && !tensor(i).view_of) in_use += tensor(i).size_bytes;
      if (!places.stored[i] || tensor(i).home == Home::Storage) continue;
      written += tensor(i).size_bytes;
      if (!tensor(i).updates) in_use += tensor(i).size_bytes;
    }
    return written <= problem_.write_budget_bytes.value_or(written) &&
           in_use <= problem_.storage_capacity_bytes.value_or(in_use);
  }

  // --- Transfers and drops in any number and order. `stage` first executions are done.
  void move_freely(Reachable& now, std::size_t stage) {
    std::vector<std::pair<Places, Paid>> open;
    for (const auto& [places, all] : now)
      for (const Paid& paid : all) open.emplace_back(places, paid);
    const auto offer = [&](const Places& places, const Paid& paid) {
      if (add(now, places, paid)) open.emplace_back(places, paid);
    };
    while (!open.empty()) {
      const auto [places, paid] = open.back();
      open.pop_back();
      for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
        if (is_fixed(i) || is_rom(i) || tensor(i).view_of) continue;
        const std::optional<std::size_t> update = updater(i);
        const bool old = update && stage > *update;
        if (places.memory[i] != kNowhere) {
          Places after = places;
          after.memory[i] = kNowhere;
          offer(after, done(paid, {.actions = {Drop{id_of(i)}}}));
          if (!old) write_out(places, paid, i, offer);
        } else if (places.stored[i] && !old &&
                   (problem_.paging_allowed || tensor(i).home == Home::Storage ||
                    tensor(i).updates)) {
          read_in(places, paid, i, offer);
        }
      }
    }
  }

  template <typename Offer>
  void write_out(const Places& places, const Paid& paid, std::size_t i, const Offer& offer) {
    if (places.stored[i] || !(problem_.paging_allowed || tensor(i).updates)) return;
    Places after = places;
    after.stored[i] = true;
    if (!limits_hold(after)) return;
    const std::int8_t m = places.memory[i];
    const double time_s = tensor(i).page_out_s + read_s(m, i);
    const Paid now = charged(paid, tensor(i).page_out_j + read_j(m, i), timed(time_s));
    offer(after, done(now, {.actions = {PageOut{id_of(i)}}}));
  }

  template <typename Offer>
  void read_in(const Places& places, const Paid& paid, std::size_t i, const Offer& offer) {
    for (std::int8_t m = 0; m < memories(); ++m) {
      Places after = places;
      after.memory[i] = m;
      if (!fits(after, nothing_more())) continue;
      const double time_s = tensor(i).page_in_s + write_s(m, i);
      const Paid now = charged(paid, tensor(i).page_in_j + write_j(m, i), timed(time_s));
      offer(after, done(now, {.actions = {PageIn{id_of(i)}}, .placed = placed_at(i, m)}));
    }
  }

  static TensorId id_of(std::size_t i) { return TensorId{static_cast<std::int32_t>(i)}; }

  std::vector<PlacedBuffer> placed_at(std::size_t i, std::int8_t m) const {
    if (m == 0 || is_fixed(i)) return {};
    return {{.tensor = id_of(i), .memory = MemoryId{m}}};
  }

  Paid done(Paid paid, OracleStep step) {
    step.before = paid.last_step;
    paid.last_step = steps_.size();
    steps_.push_back(std::move(step));
    return paid;
  }

  double timed(double time_s) const {
    return problem_.time_mode == TimeMode::Blocking ? time_s : 0.0;
  }

  // --- Executions
  Reachable executed(const Reachable& now, std::size_t v) {
    Reachable then;
    for (const auto& [places, all] : now) execute(then, places, all, v);
    return then;
  }

  void execute(Reachable& then, const Places& places, const std::vector<Paid>& all, std::size_t v) {
    const Operation& operation = problem_.operations[v];
    double energy_j = operation.compute_j, time_s = operation.compute_s;
    std::vector<std::size_t> inputs;
    for (const TensorId input : operation.inputs) inputs.push_back(root(input));
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    for (const std::size_t i : inputs) {
      if (is_rom(i)) continue;
      if (places.memory[i] == kNowhere) return;
      if (operation.view) continue;
      energy_j += read_j(places.memory[i], i);
      time_s += read_s(places.memory[i], i);
    }
    std::vector<std::size_t> outputs;
    for (const TensorId output : operation.outputs)
      if (!at(problem_.tensors, output).view_of)
        outputs.push_back(static_cast<std::size_t>(index_of(output)));
    for (const std::size_t i : outputs)
      if (places.memory[i] != kNowhere) return;  // dropping it before is no worse
    const OracleStep step{.actions = {Compute{OperationId{static_cast<std::int32_t>(v)}}}};
    place_outputs(then, places, all, step, outputs, energy_j, time_s);
  }

  // Every output in every memory, one after the other.
  void place_outputs(Reachable& then, const Places& places, const std::vector<Paid>& all,
                     const OracleStep& step, std::vector<std::size_t> left, double energy_j,
                     double time_s) {
    if (left.empty()) return finish(then, places, all, step, energy_j, time_s);
    const std::size_t i = left.back();
    left.pop_back();
    for (std::int8_t m = 0; m < memories(); ++m) {
      if (is_fixed(i) && m != fixed_[i]) continue;
      Places after = places;
      after.memory[i] = m;
      OracleStep longer = step;
      for (const PlacedBuffer& placed : placed_at(i, m)) longer.placed.push_back(placed);
      place_outputs(then, after, all, longer, left, energy_j + write_j(m, i),
                    time_s + write_s(m, i));
    }
  }

  void finish(Reachable& then, const Places& places, const std::vector<Paid>& all,
              const OracleStep& step, double energy_j, double time_s) {
    const Operation& operation =
        at(problem_.operations, std::get<Compute>(step.actions[0]).operation);
    std::vector<std::int64_t> more_bytes = nothing_more();
    more_bytes[0] = operation.workspace_bytes;
    if (fits(places, more_bytes))
      for (const Paid& paid : all) add(then, places, done(charged(paid, energy_j, time_s), step));
    if (!operation.in_place) return;
    const std::size_t input = root(operation.in_place->input);
    const auto output = static_cast<std::size_t>(index_of(operation.in_place->output));
    if (is_rom(input) || is_fixed(input) || is_fixed(output) || tensor(output).view_of ||
        places.memory[input] != places.memory[output])
      return;
    more_bytes[static_cast<std::size_t>(places.memory[output])] -= tensor(output).size_bytes;
    if (!fits(places, more_bytes)) return;
    Places after = places;
    after.memory[input] = kNowhere;
    OracleStep longer = step;
    longer.actions.emplace_back(Drop{id_of(input)});
    for (const Paid& paid : all) add(then, after, done(charged(paid, energy_j, time_s), longer));
  }

  std::optional<CheapestInMemories> best_end(const Reachable& now) const {
    std::optional<Paid> best;
    for (const auto& [places, all] : now) {
      bool is_end = true;
      for (std::size_t i = 0; i < problem_.tensors.size(); ++i)
        if (tensor(i).updates && !is_fixed(i) && !places.stored[i]) is_end = false;
      for (const Paid& paid : all)
        if (is_end && (!best || paid.objective < best->objective)) best = paid;
    }
    if (!best) return std::nullopt;
    return CheapestInMemories{best->objective, schedule_until(best->last_step)};
  }

  Schedule schedule_until(std::size_t step) const {
    std::vector<OracleStep> all;
    for (; step != 0; step = steps_[step].before) all.insert(all.begin(), steps_[step]);
    Schedule schedule;
    for (std::size_t i = 0; i < fixed_.size(); ++i) {
      if (!is_fixed(i) || tensor(i).updates) continue;
      if (tensor(i).home == Home::Storage) schedule.resident.push_back(id_of(i));
      if (fixed_[i] > 0)
        schedule.placed.push_back({.tensor = id_of(i), .memory = MemoryId{fixed_[i]}});
    }
    for (OracleStep& one : all) {
      for (PlacedBuffer& placed : one.placed) {
        placed.action = static_cast<std::int64_t>(schedule.actions.size());
        schedule.placed.push_back(placed);
      }
      for (const Action& action : one.actions) schedule.actions.push_back(action);
    }
    return schedule;
  }

  const Problem& problem_;
  std::vector<std::int8_t> fixed_;
  std::vector<OracleStep> steps_ = {};
};

// Every choice of residents, and of a memory for each resident.
void try_residents(const Problem& problem, std::size_t i, std::vector<std::int8_t> fixed,
                   std::optional<CheapestInMemories>& best) {
  if (i == problem.tensors.size()) {
    for (std::size_t j = 0; j < fixed.size(); ++j)
      if (const std::optional<TensorId>& old = problem.tensors[j].updates)
        fixed[j] = fixed[static_cast<std::size_t>(index_of(*old))];
    std::optional<CheapestInMemories> found = MemoryOracle(problem, fixed).run();
    if (found && (!best || found->objective < best->objective)) best = std::move(found);
    return;
  }
  const Tensor& tensor = problem.tensors[i];
  const bool must = tensor.home == Home::Resident && !tensor.updates && !tensor.view_of;
  const bool may = tensor.may_be_resident && !tensor.view_of;
  if (!must) try_residents(problem, i + 1, fixed, best);
  if (!must && !may) return;
  for (std::int8_t m = 0; m <= static_cast<std::int8_t>(problem.further_memories.size()); ++m) {
    fixed[i] = m;
    try_residents(problem, i + 1, fixed, best);
  }
}

}  // namespace

std::optional<CheapestInMemories> cheapest_in_memories(const Problem& problem) {
  POET_CHECK(problem.time_mode != TimeMode::Overlapped && !problem.uncertainty);
  std::optional<CheapestInMemories> best;
  try_residents(problem, 0, std::vector<std::int8_t>(problem.tensors.size(), kNowhere), best);
  return best;
}

Problem with_memories(Problem problem, std::uint64_t seed) {
  std::mt19937_64 engine(seed * 2654435761u + 1);
  const auto below = [&](std::int64_t count) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(count));
  };
  std::int64_t largest_bytes = 1;
  for (const Tensor& tensor : problem.tensors)
    largest_bytes = std::max(largest_bytes, tensor.size_bytes);
  problem.uncertainty.reset();
  problem.ram_budget_bytes -= below(problem.ram_budget_bytes + 1) / 2;
  const std::int64_t count = 1 + below(2);
  for (std::int64_t m = 0; m < count; ++m) {
    FurtherMemory memory{.name = m == 0 ? "psram" : "sdram",
                         .size_bytes = below(3 * largest_bytes + 1)};
    const auto cost = [&] { return static_cast<double>(below(24)) / 64; };
    memory.read_s_per_byte = cost();
    memory.read_j_per_byte = cost();
    memory.write_s_per_byte = cost();
    memory.write_j_per_byte = cost();
    problem.further_memories.push_back(memory);
  }
  return problem;
}

}  // namespace poet::testing
