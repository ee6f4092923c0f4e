// A first schedule by paging alone (docs/model/search.md §2.1).
#include "poet/solve/greedy_paging.h"

#include <algorithm>
#include <limits>

namespace poet {
namespace {

// What counts against keeping a chain in RAM: the largest goes first.
enum class EvictionRule {
  FarthestUse,     // Belady: optimal for equal sizes and costs
  CheapestReturn,  // most bytes per cost of bringing it back
  BytesTimesWait,  // most bytes times stages until the next use, per cost
};

class PagingPass {
 public:
  PagingPass(const Step& step, EvictionRule rule) : step_(step), rule_(rule) {
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
    for (const std::int32_t chain : operation.inputs) leave_if_dead(chain, t);
    for (const std::int32_t chain : operation.outputs) leave_if_dead(chain, t);
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
    while (ram_bytes_ + extra_bytes > step_.budget_bytes) {
      std::optional<std::int32_t> victim;
      double most = -1;
      for (std::size_t c = 0; c < step_.chains.size(); ++c) {
        const auto chain = static_cast<std::int32_t>(c);
        if (!in_ram_[c] || step_.chains[c].size_bytes == 0 || needed_now(operation, chain))
          continue;
        if (!step_.chains[c].may_be_read || score(chain) <= most) continue;
        most = score(chain);
        victim = chain;
      }
      if (!victim) return false;
      if (step_.chains[*victim].may_be_written) choice_.stored[*victim] = true;
      leave(*victim);
    }
    return true;
  }

  static bool needed_now(const StepOperation& operation, std::int32_t chain) {
    return std::find(operation.inputs.begin(), operation.inputs.end(), chain) !=
           operation.inputs.end();
  }

  double score(std::int32_t c) {
    const Chain& chain = step_.chains[c];
    const auto now = static_cast<std::int32_t>(choice_.executions.size());
    const auto wait = static_cast<double>(next_use_after(c, now).value_or(step_.stages()) - now);
    if (rule_ == EvictionRule::FarthestUse) return wait;
    const bool must_write = chain.may_be_written && !choice_.stored[c];
    const double cost = chain.read_cost + (must_write ? chain.write_cost : 0);
    const double bytes = static_cast<double>(chain.size_bytes);
    const double per_cost = bytes / std::max(cost, std::numeric_limits<double>::min());
    return rule_ == EvictionRule::CheapestReturn ? per_cost : per_cost * wait;
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
  }
  void leave_if_dead(std::int32_t chain, std::int32_t t) {
    if (!next_use_after(chain, t)) leave(chain);
  }

  const Step& step_;
  EvictionRule rule_;
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
