// A first schedule by paging, and by making again what needs no input in RAM
// (docs/model/search.md §2.1).
#include "poet/solve/greedy_paging.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace poet {
namespace {

// What counts against keeping a chain in RAM: the largest goes first.
enum class EvictionRule {
  FarthestUse,     // Belady: optimal for equal sizes and costs
  CheapestReturn,  // most bytes per cost of bringing it back
  BytesTimesWait,  // most bytes times stages until the next use, per cost
};

// How a chain that left RAM may come back.
enum class Return {
  Read,      // from storage
  Cheapest,  // or made again, where its producer needs nothing in RAM and that costs less
};

// The chains in RAM that may leave, and which of them leaves first. Chains with the same bytes per
// cost of their return stand in one line each, by their next use: there are few such lines, and
// what leaves first of a line does so at any time.
class Candidates {
 public:
  Candidates(const Step& step, EvictionRule rule) : rule_(rule), places_(step.chains.size()) {}

  // `next_use`: the stage that needs it next.
  void add(std::int32_t chain, double bytes_per_cost, std::int32_t next_use) {
    const double line = rule_ == EvictionRule::FarthestUse ? 1 : bytes_per_cost;
    const std::int32_t wait = rule_ == EvictionRule::CheapestReturn ? 0 : -next_use;
    lines_[line].insert({wait, chain});
    places_[chain] = Place{line, wait};
  }
  void remove(std::int32_t chain) {
    std::optional<Place>& place = places_[chain];
    if (!place) return;
    const auto line = lines_.find(place->line);
    line->second.erase({place->wait, chain});
    if (line->second.empty()) lines_.erase(line);
    place.reset();
  }

  // Of equals the first chain.
  std::optional<std::int32_t> first_to_leave(std::int32_t now) const {
    std::optional<std::int32_t> first;
    double most = -1;
    for (const auto& [bytes_per_cost, line] : lines_) {
      const auto& [wait, chain] = *line.begin();
      const double stages = rule_ == EvictionRule::CheapestReturn ? 1 : -wait - now;
      const double score = bytes_per_cost * stages;
      if (score < most || (score == most && first && *first < chain)) continue;
      most = score;
      first = chain;
    }
    return first;
  }

 private:
  struct Place {
    double line = 0;
    std::int32_t wait = 0;
  };

  EvictionRule rule_;
  std::map<double, std::set<std::pair<std::int32_t, std::int32_t>>> lines_;
  std::vector<std::optional<Place>> places_;
};

// Whether an operation makes its one output again, from what needs no RAM, such as the blocks of a
// frozen weight in rom, for a use in that stage.
bool comes_again(const Step& step, std::int32_t number, std::int32_t next_use) {
  const StepOperation& operation = step.operations[number];
  return operation.inputs.empty() && operation.outputs.size() == 1 &&
         next_use <= operation.last_stage;
}

class PagingPass {
  static constexpr double kCannot = std::numeric_limits<double>::infinity();

 public:
  PagingPass(const Step& step, EvictionRule rule, Return by)
      : step_(step), return_(by), candidates_(step, rule) {
    in_ram_.assign(step.chains.size(), false);
    comes_again_.assign(step.chains.size(), false);
    choice_.stored.assign(step.chains.size(), false);
    choice_.resident.assign(step.chains.size(), false);
  }

  std::optional<EventChoice> run() {
    for (std::int32_t t = 0; t < step_.stages(); ++t)
      if (!run_stage(t)) return std::nullopt;
    return choice_;
  }

 private:
  bool run_stage(std::int32_t t) {
    const StepOperation& operation = step_.operations[t];
    // What the operation reads must not leave for what it lacks.
    for (const std::int32_t chain : operation.inputs) candidates_.remove(chain);
    if (!make_again(operation, t)) return false;
    Execution execution{Event{t, t}};
    for (const std::int32_t chain : operation.inputs) {
      if (in_ram_[chain]) continue;
      execution.reads.push_back(chain);
      enter(chain);
    }
    if (!make_room(running_extra_bytes(operation, t), t)) return false;
    for (const std::int32_t chain : operation.outputs) enter(chain);
    for (const std::int32_t chain : operation.inputs) wait_or_leave(chain, t);
    for (const std::int32_t chain : operation.outputs) wait_or_leave(chain, t);
    choice_.executions.push_back(std::move(execution));
    return true;
  }

  // Before anything is read for the operation, as a schedule has it.
  bool make_again(const StepOperation& operation, std::int32_t t) {
    for (const std::int32_t producer : missing_producers(operation)) {
      const StepOperation& again = step_.operations[producer];
      const std::int32_t chain = again.outputs.front();
      if (!make_room(again.workspace_bytes + step_.chains[chain].size_bytes, t)) return false;
      choice_.executions.push_back(Execution{Event{t, producer}});
      enter(chain);
    }
    return true;
  }

  // Of the inputs that are to be made again: ascending, as re-executions of a stage come, and each
  // once, since none of them makes anything else.
  std::vector<std::int32_t> missing_producers(const StepOperation& operation) const {
    std::vector<std::int32_t> producers;
    for (const std::int32_t chain : operation.inputs)
      if (!in_ram_[chain] && comes_again_[chain])
        producers.push_back(*step_.chains[chain].producer);
    std::sort(producers.begin(), producers.end());
    return producers;
  }

  // Outputs and workspace; sharing counts when the input dies here.
  std::int64_t running_extra_bytes(const StepOperation& operation, std::int32_t t) const {
    std::int64_t bytes = operation.workspace_bytes;
    for (const std::int32_t chain : operation.outputs) bytes += step_.chains[chain].size_bytes;
    if (!operation.in_place) return bytes;
    const std::int32_t input = operation.inputs[operation.in_place->input];
    if (next_use_after(input, t)) return bytes;
    return bytes - step_.chains[operation.outputs[operation.in_place->output]].size_bytes;
  }

  bool make_room(std::int64_t extra_bytes, std::int32_t now) {
    while (ram_bytes_ + extra_bytes > step_.budget_bytes) {
      const std::optional<std::int32_t> victim = candidates_.first_to_leave(now);
      if (!victim) return false;
      if (step_.chains[*victim].may_be_written && !comes_again_[*victim])
        choice_.stored[*victim] = true;
      leave(*victim);
    }
    return true;
  }

  // Of storing a chain, as far as that is not done yet, and reading it.
  double reading_cost(std::int32_t c) const {
    const Chain& chain = step_.chains[c];
    if (!chain.may_be_read) return kCannot;
    const bool must_write = chain.may_be_written && !choice_.stored[c];
    return chain.read_cost + (must_write ? chain.write_cost : 0);
  }

  double again_cost(std::int32_t c, std::int32_t next_use) const {
    const std::optional<std::int32_t> producer = step_.chains[c].producer;
    if (return_ == Return::Read || !producer || !comes_again(step_, *producer, next_use))
      return kCannot;
    return step_.operations[*producer].cost;
  }

  std::optional<std::int32_t> next_use_after(std::int32_t chain, std::int32_t t) const {
    const std::vector<std::int32_t>& readers = step_.chains[chain].readers;
    const auto next = std::upper_bound(readers.begin(), readers.end(), t);
    if (next == readers.end()) return std::nullopt;
    return *next;
  }

  void enter(std::int32_t chain) {
    in_ram_[chain] = true;
    ram_bytes_ += step_.chains[chain].size_bytes;
  }
  void leave(std::int32_t chain) {
    in_ram_[chain] = false;
    ram_bytes_ -= step_.chains[chain].size_bytes;
    candidates_.remove(chain);
  }
  void wait_or_leave(std::int32_t chain, std::int32_t t) {
    candidates_.remove(chain);
    const std::optional<std::int32_t> next_use = next_use_after(chain, t);
    if (!next_use) return leave(chain);
    const double read = reading_cost(chain);
    const double again = again_cost(chain, *next_use);
    const double cost = std::min(read, again);
    const std::int64_t size_bytes = step_.chains[chain].size_bytes;
    if (size_bytes == 0 || cost == kCannot) return;
    comes_again_[chain] = again < read;
    const double divisor = std::max(cost, std::numeric_limits<double>::min());
    candidates_.add(chain, static_cast<double>(size_bytes) / divisor, *next_use);
  }

  const Step& step_;
  Return return_;
  Candidates candidates_;
  std::vector<bool> in_ram_;
  std::vector<bool> comes_again_;  // what waits or left: it is made again and not read
  std::int64_t ram_bytes_ = 0;
  EventChoice choice_;
};

// Where nothing can be made again, reading is all there is.
std::vector<Return> returns_of(const Step& step) {
  for (std::int32_t number = 0; number < step.stages(); ++number)
    if (comes_again(step, number, number + 1)) return {Return::Read, Return::Cheapest};
  return {Return::Read};
}

std::optional<EventChoice> one_pass(const Step& step, EvictionRule rule, Return by) {
  std::optional<EventChoice> choice = PagingPass(step, rule, by).run();
  return choice ? without_waste(step, *std::move(choice)) : choice;
}

}  // namespace

std::optional<EventChoice> greedy_paging(const Step& step) {
  std::optional<EventChoice> best;
  double best_cost = 0;
  for (const Return by : returns_of(step))
    for (const EvictionRule rule :
         {EvictionRule::FarthestUse, EvictionRule::CheapestReturn, EvictionRule::BytesTimesWait}) {
      std::optional<EventChoice> choice = one_pass(step, rule, by);
      if (!choice) continue;
      const ChoiceFigures figures = figures_of(step, *choice);
      if (!keeps_budgets(step, figures) || (best && figures.cost >= best_cost)) continue;
      best_cost = figures.cost;
      best = std::move(choice);
    }
  return best;
}

}  // namespace poet
