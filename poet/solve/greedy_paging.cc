// A first schedule by paging alone (docs/model/search.md §2.1).
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

class PagingPass {
 public:
  PagingPass(const Step& step, EvictionRule rule) : step_(step), candidates_(step, rule) {
    in_ram_.assign(step.chains.size(), false);
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
    Execution execution{Event{t, t}};
    for (const std::int32_t chain : operation.inputs) {
      if (in_ram_[chain]) continue;
      execution.reads.push_back(chain);
      enter(chain);
    }
    if (!make_room(operation, running_extra_bytes(operation, t))) return false;
    for (const std::int32_t chain : operation.outputs) enter(chain);
    for (const std::int32_t chain : operation.inputs) wait_or_leave(chain, t);
    for (const std::int32_t chain : operation.outputs) wait_or_leave(chain, t);
    choice_.executions.push_back(std::move(execution));
    return true;
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

  bool make_room(const StepOperation& operation, std::int64_t extra_bytes) {
    if (ram_bytes_ + extra_bytes <= step_.budget_bytes) return true;
    for (const std::int32_t chain : operation.inputs) candidates_.remove(chain);
    const auto now = static_cast<std::int32_t>(choice_.executions.size());
    while (ram_bytes_ + extra_bytes > step_.budget_bytes) {
      const std::optional<std::int32_t> victim = candidates_.first_to_leave(now);
      if (!victim) return false;
      if (step_.chains[*victim].may_be_written) choice_.stored[*victim] = true;
      leave(*victim);
    }
    return true;
  }

  double bytes_per_cost(std::int32_t c) const {
    const Chain& chain = step_.chains[c];
    const bool must_write = chain.may_be_written && !choice_.stored[c];
    const double cost = chain.read_cost + (must_write ? chain.write_cost : 0);
    return static_cast<double>(chain.size_bytes) /
           std::max(cost, std::numeric_limits<double>::min());
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
    if (step_.chains[chain].size_bytes > 0 && step_.chains[chain].may_be_read)
      candidates_.add(chain, bytes_per_cost(chain), *next_use);
  }

  const Step& step_;
  Candidates candidates_;
  std::vector<bool> in_ram_;
  std::int64_t ram_bytes_ = 0;
  EventChoice choice_;
};

}  // namespace

std::optional<EventChoice> greedy_paging(const Step& step) {
  std::optional<EventChoice> best;
  double best_cost = 0;
  for (const EvictionRule rule :
       {EvictionRule::FarthestUse, EvictionRule::CheapestReturn, EvictionRule::BytesTimesWait}) {
    std::optional<EventChoice> choice = PagingPass(step, rule).run();
    if (!choice) continue;
    *choice = without_waste(step, std::move(*choice));
    const ChoiceFigures figures = figures_of(step, *choice);
    if (!keeps_budgets(step, figures) || (best && figures.cost >= best_cost)) continue;
    best_cost = figures.cost;
    best = std::move(choice);
  }
  return best;
}

}  // namespace poet
