// Better schedules by solving a few neighbouring stages again (docs/model/search.md §4.3).
#include "poet/solve/local_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "poet/solve/budget_margin.h"
#include "poet/solve/event_model.h"
#include "poet/solve/reachable_rows.h"
#include "poet/solve/smaller_model.h"

namespace poet {
namespace {

// What a neighbourhood may free at most, so that its integer program ends.
constexpr std::size_t kMostFreeEvents = 500;
constexpr std::int32_t kMostDepth = 64;
constexpr std::int32_t kFirstWidth = 4;
constexpr std::int64_t kMostNodes = 200;  // of one integer program
// Building and starting one counts as much as this many nodes.
constexpr std::int64_t kNodesOfStart = 5;
// What an integer program must gain, as a part of the overhead.
constexpr double kLeastGain = 1e-4;
constexpr double kLeastUnit = 1e-6;  // of SearchState::first_cost_unit(): there may be no overhead

// Stages, both ends included.
struct Neighbourhood {
  std::int32_t first = 0;
  std::int32_t last = 0;

  bool contains(std::int32_t stage) const { return first <= stage && stage <= last; }
  auto operator<=>(const Neighbourhood&) const = default;
};

// Stages in which something may run or be read again: from the turn to the backward pass on, where
// there is one.
std::int32_t first_stage_of_interest(const Step& step) {
  for (std::int32_t t = 0; t < step.stages(); ++t)
    if (step.operations[t].backward) return t;
  return 0;
}

class LocalSearch {
 public:
  LocalSearch(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
              std::int64_t most_nodes, const Stop& stop, SearchState& state)
      : step_(step),
        goal_(goal),
        backend_(backend),
        stop_(stop),
        state_(state),
        nodes_left_(std::min(most_nodes, goal.max_nodes - state.answer.effort.nodes)),
        begin_(first_stage_of_interest(step)),
        changed_(step.stages(), 0) {}

  void run() {
    for (std::int32_t width = kFirstWidth; !is_over();) {
      const double before = state_.answer.value;
      sweep(width);
      if (state_.answer.value < before) continue;
      if (width >= step_.stages() - begin_) return;
      width *= 2;
    }
  }

 private:
  bool is_over() const { return state_.is_over() || nodes_left_ <= 0; }
  double overhead() const { return std::max(0.0, state_.answer.value - goal_.unavoidable); }

  // From the last stages to the first: what is needed late decides what was kept.
  void sweep(std::int32_t width) {
    const std::int32_t stride = width / 2;
    for (std::int32_t last = step_.stages() - 1; last >= begin_ && !is_over(); last -= stride) {
      const Neighbourhood where{std::max(0, last - width + 1), last};
      if (is_settled(where)) continue;
      ++now_;
      if (improve(where))
        std::fill(changed_.begin() + where.first, changed_.begin() + where.last + 1, now_);
      else
        settled_[where] = now_;
    }
  }

  // It led no further, and nothing near it has changed since.
  bool is_settled(const Neighbourhood& where) const {
    const auto found = settled_.find(where);
    if (found == settled_.end()) return false;
    const std::int32_t width = where.last - where.first + 1;
    const std::int32_t first = std::max(0, where.first - width);
    const std::int32_t last = std::min(step_.stages() - 1, where.last + width);
    return *std::max_element(changed_.begin() + first, changed_.begin() + last + 1) < found->second;
  }

  bool improve(const Neighbourhood& where) {
    EventSet events(step_.stages());
    events.insert(free_events(where));
    std::vector<Event> own;
    for (const Execution& execution : state_.answer.best->executions)
      own.push_back(execution.event);
    events.insert(std::move(own));

    EventModelOptions options;
    options.cost_unit =
        std::max(overhead() / kOverheadUnits, kLeastUnit * state_.first_cost_unit());
    options.most_cost = state_.most_cost();
    EventModel model = make_event_model(step_, events, {}, options);
    const std::optional<std::vector<double>> values =
        values_of(step_, events, model, *state_.answer.best);
    if (!values) return false;
    if (goal_.techniques.reachable_sums) lower_to_reachable_sums(step_, events, model);
    add_margins(model);
    hold_outside(where, events, *values, model);
    const IntegerAnswer solved = solve(model, options.cost_unit);
    if (!has_values(solved)) return false;
    const double before = state_.answer.value;
    if (const auto choice = choice_of(step_, events, model, solved.values)) state_.offer(*choice);
    return state_.answer.value < before;
  }

  // Re-executions for the stages of the neighbourhood: as deep as there is room for.
  std::vector<Event> free_events(const Neighbourhood& where) const {
    std::vector<Event> events;
    for (std::int32_t depth = 1; depth <= kMostDepth; depth = depth < 4 ? depth + 1 : depth * 2) {
      std::vector<Event> deeper;
      for (std::int32_t t = where.first; t <= where.last; ++t) add_ancestors(t, depth, deeper);
      if (deeper.size() == events.size() || (deeper.size() > kMostFreeEvents && depth > 1)) break;
      events = std::move(deeper);
    }
    return events;
  }

  void add_ancestors(std::int32_t stage, std::int32_t depth, std::vector<Event>& events) const {
    std::vector<std::int32_t> reached{stage};
    std::vector<bool> seen(step_.operations.size(), false);
    for (std::int32_t d = 0; d < depth; ++d) {
      std::vector<std::int32_t> further;
      for (const std::int32_t v : reached)
        for (const std::int32_t c : step_.operations[v].inputs) {
          const std::optional<std::int32_t>& k = step_.chains[c].producer;
          if (!k || seen[*k]) continue;
          seen[*k] = true;
          further.push_back(*k);
          if (step_.operations[*k].last_stage >= stage) events.push_back(Event{stage, *k});
        }
      reached = std::move(further);
    }
  }

  // What runs and is read outside keeps its value, and so do chains that the neighbourhood does not
  // touch. Chains that it touches may be stored, and stay in RAM, as it needs them.
  void hold_outside(const Neighbourhood& where, const EventSet& events,
                    const std::vector<double>& values, EventModel& model) const {
    const auto inside = [&](std::int32_t event) {
      return where.contains(events.events()[event].stage);
    };
    std::vector<bool> touched(step_.chains.size(), false);
    for (std::size_t c = 0; c < model.occurrences.size(); ++c)
      touched[c] =
          std::any_of(model.occurrences[c].begin(), model.occurrences[c].end(),
                      [&](const Occurrence& occurrence) { return inside(occurrence.event); });
    for (std::size_t j = 0; j < model.linear.columns.size(); ++j) {
      const ColumnTag& tag = model.column_tags[j];
      const bool of_event =
          tag.meaning == ColumnMeaning::Runs || tag.meaning == ColumnMeaning::Read;
      const bool is_free = tag.meaning == ColumnMeaning::Shared ||
                           (of_event ? inside(tag.event) : bool{touched[tag.chain]});
      if (is_free) continue;
      LinearColumn& column = model.linear.columns[j];
      column.lower = column.upper = std::round(values[j]);
    }
  }

  IntegerAnswer solve(const EventModel& model, double cost_unit) {
    const SmallerModel smaller = make_smaller(model.linear);
    IntegerLimits limits;
    limits.max_nodes = std::min(kMostNodes, nodes_left_);
    limits.seed = goal_.seed;
    limits.heuristics = false;
    limits.absolute_gap = kLeastGain * kOverheadUnits;
    limits.cutoff = (state_.answer.value - kLeastGain * overhead()) / cost_unit -
                    model.constant_cost - smaller.constant_cost;
    const IntegerAnswer solved = solve_smaller(smaller, backend_, limits, stop_, {});
    nodes_left_ -= solved.nodes + kNodesOfStart;
    state_.answer.effort.nodes += solved.nodes;
    state_.answer.effort.iterations += solved.iterations;
    return solved;
  }

  const Step& step_;
  const SearchGoal& goal_;
  const LinearBackend& backend_;
  const Stop& stop_;
  SearchState& state_;
  std::int64_t nodes_left_ = 0;
  std::int32_t begin_ = 0;
  std::int64_t now_ = 0;  // neighbourhoods so far
  std::vector<std::int64_t> changed_;
  std::map<Neighbourhood, std::int64_t> settled_;
};

}  // namespace

void search_locally(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
                    std::int64_t most_nodes, const Stop& stop, SearchState& state) {
  if (state.has_best()) LocalSearch(step, goal, backend, most_nodes, stop, state).run();
}

}  // namespace poet
