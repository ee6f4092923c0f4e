// The bound of the event solver (docs/model/bounds.md §1.3) and its cover inequalities against the
// oracle: whatever the multipliers, on random instances with every feature that a problem can have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "poet/problem/facts.h"
#include "poet/problem/problem.h"
#include "poet/problem/problem_json.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/later_need.h"
#include "poet/solve/lift.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/step.h"
#include "poet/solve/tensor_walk.h"
#include "support/cheapest.h"
#include "support/instance_block.h"
#include "support/random_cases.h"
#include "support/solved_instances.h"

namespace poet::testing {
namespace {

constexpr double kRounding = 1e-9;  // relative; instances' figures are multiples of 1/8 or coarser
constexpr int kInstancesOfBlock = random_cases(300);

double tolerance(double value) {
  return kRounding * std::max(1.0, std::abs(value));
}

// --- instances with their best schedules
// ---------------------------------------------------------------------------------

struct Instance {
  Problem problem;
  Step step;
  double cheapest = 0;              // the oracle's objective
  std::optional<EventChoice> best;  // the oracle's schedule, where it is in the event model's class
};

// Calls `check` with instances that have a schedule until one of them fails.
void for_each_solved(const InstanceBlock& block,
                     const std::function<void(const Instance&, std::mt19937_64&)>& check) {
  for_each_solved(block, kInstancesOfBlock,
                  [&check](const Problem& problem, double cheapest, std::mt19937_64& random) {
                    Instance instance{problem, make_step(problem), cheapest, {}};
                    instance.best =
                        from_schedule(problem, instance.step, *cheapest_schedule(problem));
                    check(instance, random);
                  });
}

// --- multipliers
// ---------------------------------------------------------------------------------

// Calls `change` with every multiplier; those of free sign are told apart.
void change_each(Multipliers& multipliers, const std::function<void(double&)>& change,
                 const std::function<void(double&)>& change_tie) {
  for (auto* list : {&multipliers.memory, &multipliers.shared_runs, &multipliers.shared_dies,
                     &multipliers.shared_moves, &multipliers.shared_takes, &multipliers.cuts})
    for (double& value : *list) change(value);
  for (auto& list : multipliers.uses)
    for (double& value : list) change(value);
  for (auto& list : multipliers.ties)
    for (double& value : list) change_tie(value);
  change(multipliers.deadline);
  change(multipliers.storage_room);
  change(multipliers.write_room);
}

Multipliers zero_multipliers(const Step& step, const EventSet& events, std::size_t cuts) {
  Multipliers zero;
  for (auto* list :
       {&zero.memory, &zero.shared_runs, &zero.shared_dies, &zero.shared_moves, &zero.shared_takes})
    list->assign(events.events().size(), 0.0);
  for (const Event& event : events.events()) {
    const StepOperation& operation = step.operations[event.operation];
    zero.uses.emplace_back(operation.inputs.size(), 0.0);
    zero.ties.emplace_back(operation.outputs.size(), 0.0);
  }
  zero.cuts.assign(cuts, 0.0);
  return zero;
}

// A multiplier of a row that is not there (a deadline that is not given, a chain that may not be
// resident, an operation that shares nothing) says nothing and stays 0.
void clear_those_without_a_row(const Step& step, const EventSet& events, Multipliers& multipliers) {
  if (!step.deadline_s) multipliers.deadline = 0;
  if (!step.storage_room_bytes) multipliers.storage_room = 0;
  if (!step.write_room_bytes) multipliers.write_room = 0;
  for (std::size_t e = 0; e < events.events().size(); ++e) {
    if (step.operations[events.events()[e].operation].in_place) continue;
    multipliers.shared_runs[e] = multipliers.shared_dies[e] = 0;
    multipliers.shared_moves[e] = multipliers.shared_takes[e] = 0;
  }
}

// Many are 0; the others of all magnitudes around what a byte and a read cost.
Multipliers random_multipliers(const Step& step, const EventSet& events, std::size_t cuts,
                               std::mt19937_64& random) {
  Multipliers multipliers = zero_multipliers(step, events, cuts);
  const double density = unit_draw(random);
  const double scale = 4 * unit_draw(random) * unit_draw(random);
  const auto draw = [&](double& value) {
    if (unit_draw(random) < density) value = scale * unit_draw(random);
  };
  change_each(multipliers, draw, [&](double& value) {
    draw(value);
    if (random() % 2 == 0) value = -value;
  });
  clear_those_without_a_row(step, events, multipliers);
  return multipliers;
}

// Near those of a relaxation, where the bound is tight and a small mistake shows.
Multipliers shaken(Multipliers multipliers, std::mt19937_64& random) {
  const auto shake = [&](double& value) { value *= 2 * unit_draw(random); };
  const auto shake_tie = [&](double& value) { value += unit_draw(random) - 0.5; };
  change_each(multipliers, shake, shake_tie);
  return multipliers;
}

// --- relaxations
// ---------------------------------------------------------------------------------

struct Relaxed {
  EventModel model;
  RelaxationAnswer answer;
};

Relaxed relax(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts,
              EventObjective objective) {
  static const std::unique_ptr<LinearBackend> backend = std::move(open_backend("cbc").value());
  EventModelOptions options;
  options.objective = objective;
  Relaxed relaxed{make_event_model(step, events, cuts, options), {}};
  relaxed.answer = backend->relax(relaxed.model.linear)->solve({});
  return relaxed;
}

std::vector<LaterNeed> cuts_for(const Step& step, const std::vector<StagePressure>& pressures,
                                const std::function<Comings(std::int32_t)>& comings_at) {
  std::vector<LaterNeed> cuts;
  for (std::int32_t t = 0; t < step.stages(); ++t)
    for (FoundCut& found : violated_cuts(step, t, pressures[t], comings_at(t), 1e-3))
      cuts.push_back(std::move(found.cut));
  return cuts;
}

std::vector<LaterNeed> cuts_of(const Step& step, const EventSet& events, const Relaxed& relaxed) {
  const std::vector<StagePressure> pressures = stage_pressures(step);
  const ComingsOf comings(step, events, relaxed.model, relaxed.answer.values);
  return cuts_for(step, pressures,
                  [&](std::int32_t t) { return comings.at_stage(t, pressures[t]); });
}

std::vector<LaterNeed> random_cuts(const Step& step, std::mt19937_64& random) {
  const std::vector<StagePressure> pressures = stage_pressures(step);
  return cuts_for(step, pressures, [&](std::int32_t t) {
    Comings comings;
    for (auto* list : {&comings.made, &comings.stored, &comings.read})
      for (std::size_t n = 0; n < pressures[t].waiting.size(); ++n)
        list->push_back(unit_draw(random) * unit_draw(random));
    return comings;
  });
}

std::vector<EventSet> few_some_and_all_events(const Step& step) {
  return {EventSet(step.stages()), shallow_events(step, 1), every_event(step)};
}

// --- what must hold
// ---------------------------------------------------------------------------------

void expect_prices_hold(const Instance& instance, const WalkBound& walked) {
  if (!instance.best) return;
  const double beyond_once = instance.cheapest - instance.step.once_cost;
  for (const Execution& execution : instance.best->executions) {
    const Event event = execution.event;
    if (event.certain()) continue;
    EXPECT_LE(walked.bound + walked.run_price.at(event), beyond_once + tolerance(instance.cheapest))
        << "price of operation " << event.operation << " in stage " << event.stage;
  }
}

void expect_below_cheapest(const Instance& instance, const EventSet& events,
                           const std::vector<LaterNeed>& cuts, const Multipliers& multipliers) {
  const WalkBound walked =
      walk_bound(instance.step, events, cuts, multipliers, EventObjective::Cost);
  EXPECT_LE(walked.bound + instance.step.once_cost,
            instance.cheapest + tolerance(instance.cheapest));
  expect_prices_hold(instance, walked);
  Multipliers lifted = multipliers;
  lift_missing_events(instance.step, events, cuts, lifted, EventObjective::Cost, 1e-12);
  const WalkBound lifted_walk =
      walk_bound(instance.step, events, cuts, lifted, EventObjective::Cost);
  EXPECT_LE(lifted_walk.bound + instance.step.once_cost,
            instance.cheapest + tolerance(instance.cheapest));
  expect_prices_hold(instance, lifted_walk);
}

class EveryFeature : public ::testing::TestWithParam<InstanceBlock> {};

TEST_P(EveryFeature, TheOraclesScheduleIsAChoiceOfTheSameFigures) {
  int in_class = 0;
  for_each_solved(GetParam(), [&](const Instance& instance, std::mt19937_64&) {
    if (!instance.best) return;  // it repeats in vain what costs nothing
    ++in_class;
    const ChoiceFigures figures = figures_of(instance.step, *instance.best);
    EXPECT_NEAR(figures.cost, instance.cheapest, tolerance(instance.cheapest));
    EXPECT_TRUE(keeps_budgets(instance.step, figures));
  });
  EXPECT_GE(in_class, kInstancesOfBlock * 9 / 10);
}

TEST_P(EveryFeature, NoBoundFromDualsIsAboveTheOptimum) {
  for_each_solved(GetParam(), [](const Instance& instance, std::mt19937_64& random) {
    const Step& step = instance.step;
    for (const EventSet& events : few_some_and_all_events(step)) {
      const Relaxed plain = relax(step, events, {}, EventObjective::Cost);
      if (plain.answer.status != LinearStatus::Optimal) continue;  // too few events
      const Multipliers duals =
          multipliers_of(step, events, plain.model, {}, plain.answer.row_duals, 1);
      expect_below_cheapest(instance, events, {}, duals);
      expect_below_cheapest(instance, events, {}, shaken(duals, random));
      const std::vector<LaterNeed> cuts = cuts_of(step, events, plain);
      const Relaxed tighter = relax(step, events, cuts, EventObjective::Cost);
      if (cuts.empty() || tighter.answer.status != LinearStatus::Optimal) continue;
      const Multipliers tighter_duals =
          multipliers_of(step, events, tighter.model, cuts, tighter.answer.row_duals, 1);
      expect_below_cheapest(instance, events, cuts, tighter_duals);
      expect_below_cheapest(instance, events, cuts, shaken(tighter_duals, random));
    }
  });
}

TEST_P(EveryFeature, NoBoundFromRandomMultipliersIsAboveTheOptimum) {
  for_each_solved(GetParam(), [](const Instance& instance, std::mt19937_64& random) {
    for (const EventSet& events : few_some_and_all_events(instance.step)) {
      const std::vector<LaterNeed> cuts = random_cuts(instance.step, random);
      for (int n = 0; n < 8; ++n)
        expect_below_cheapest(instance, events, cuts,
                              random_multipliers(instance.step, events, cuts.size(), random));
    }
  });
}

TEST_P(EveryFeature, NoBoundOnBytesIsAboveWhatAScheduleNeeds) {
  for_each_solved(GetParam(), [](const Instance& instance, std::mt19937_64& random) {
    const Step& step = instance.step;
    const bool is_small = step.stages() <= 5;  // the oracle tries one budget after the other
    const std::int64_t least_bytes =
        is_small ? *least_ram_budget(instance.problem) : instance.problem.ram_budget_bytes;
    const double needed = static_cast<double>(least_bytes - resident_bytes(instance.problem));
    const auto expect_below = [&](const EventSet& events, const Multipliers& multipliers) {
      const WalkBound walked = walk_bound(step, events, {}, multipliers, EventObjective::RamBudget);
      EXPECT_LE(walked.bound, needed + tolerance(needed));
    };
    for (const EventSet& events : few_some_and_all_events(step)) {
      expect_below(events, for_bytes(random_multipliers(step, events, 0, random)));
      const Relaxed plain = relax(step, events, {}, EventObjective::RamBudget);
      if (plain.answer.status != LinearStatus::Optimal) continue;  // too few events
      const Multipliers duals = multipliers_of(step, events, plain.model, {},
                                               plain.answer.row_duals, plain.model.byte_unit);
      expect_below(events, for_bytes(duals));
      expect_below(events, for_bytes(shaken(duals, random)));
    }
  });
}

// What the choice brings back of a term's chain in the stages (cut.stage, term.until].
double comings_of(const Step& step, const EventChoice& choice, const LaterNeed& cut,
                  const LaterNeed::Term& term) {
  const bool counts_reads = cut.family == LaterNeed::Family::Read;
  double count = !counts_reads && choice.stored[term.chain] ? 1 : 0;
  for (const Execution& execution : choice.executions) {
    if (execution.event.stage <= cut.stage || execution.event.stage > term.until) continue;
    if (step.chains[term.chain].producer == execution.event.operation) ++count;
    if (counts_reads)
      count += static_cast<double>(
          std::count(execution.reads.begin(), execution.reads.end(), term.chain));
  }
  return count;
}

TEST_P(EveryFeature, NoInequalityCutsTheOptimumOff) {
  std::size_t inequalities = 0;
  for_each_solved(GetParam(), [&](const Instance& instance, std::mt19937_64& random) {
    if (!instance.best) return;
    for (int n = 0; n < 20; ++n) {
      for (const LaterNeed& cut : random_cuts(instance.step, random)) {
        ++inequalities;
        double sum = 0;
        for (const LaterNeed::Term& term : cut.terms)
          sum += term.weight * comings_of(instance.step, *instance.best, cut, term);
        EXPECT_GE(sum, 1 - kRounding)
            << "stage " << cut.stage << ", " << cut.terms.size() << " terms";
      }
    }
  });
  EXPECT_GE(inequalities, static_cast<std::size_t>(random_cases(500)));
}

INSTANTIATE_TEST_SUITE_P(EventBound, EveryFeature, ::testing::ValuesIn(every_block(0, 100'000)),
                         [](const auto& test) { return name_of(test.param); });

}  // namespace
}  // namespace poet::testing
