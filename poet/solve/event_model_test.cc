#include "poet/solve/event_model.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

EventModel model_over(const Step& step, const EventSet& events) {
  return make_event_model(step, events, {}, {});
}

TEST(EventModel, HasNoColumnsForKnownValues) {
  Problem problem = detour();
  const Step step = make_step(problem);
  const EventModel model = model_over(step, EventSet(4));
  for (const EventQuantity& runs : model.runs) {
    EXPECT_EQ(runs.column, std::nullopt);
    EXPECT_EQ(runs.constant, 1);
  }
  EXPECT_EQ(model.stored[3].column, std::nullopt);  // nobody reads d
  EXPECT_EQ(model.stored[3].constant, 0);
  // o of a, b, c; I at the four uses; a after four occurrences with a use to come
  EXPECT_EQ(model.linear.columns.size(), 3u + 4u + 4u);
  problem.paging_allowed = false;
  EXPECT_EQ(model_over(make_step(problem), EventSet(4)).linear.columns.size(), 4u);
}

void expect_round_trip(const EventChoice& choice) {
  const Step step = make_step(detour());
  const EventSet events = every_event(step);
  const EventModel model = model_over(step, events);
  const std::optional<std::vector<double>> values = values_of(step, events, model, choice);
  ASSERT_TRUE(values);
  EXPECT_EQ(choice_of(step, events, model, *values), choice);

  double cost = model.constant_cost;
  for (std::size_t j = 0; j < values->size(); ++j)
    cost += model.linear.columns[j].cost * (*values)[j];
  EXPECT_EQ(cost, figures_of(step, choice).cost - step.once_cost);
  for (std::size_t i = 0; i < model.linear.rows.size(); ++i) {
    double activity = 0;
    for (const LinearTerm& term : model.linear.rows[i].terms)
      activity += term.coefficient * (*values)[term.column];
    EXPECT_LE(activity, model.linear.rows[i].upper) << "row " << i;
  }
}

TEST(EventModel, APagedChoiceIsASolution) {
  expect_round_trip(paged());
}

TEST(EventModel, AChoiceWithARepetitionIsASolution) {
  expect_round_trip(repeated());
}

TEST(EventModel, AChoiceAboveTheBudgetBreaksAMemoryRow) {
  const Step step = make_step(detour());
  const EventSet events(4);
  const EventModel model = model_over(step, events);
  const std::vector<double> values = *values_of(step, events, model, kept());
  std::vector<RowKind> broken;
  for (std::size_t i = 0; i < model.linear.rows.size(); ++i) {
    double activity = 0;
    for (const LinearTerm& term : model.linear.rows[i].terms)
      activity += term.coefficient * values[term.column];
    if (activity > model.linear.rows[i].upper) broken.push_back(model.row_tags[i].kind);
  }
  EXPECT_EQ(broken, std::vector<RowKind>{RowKind::Memory});
}

TEST(ValuesOf, NeedsEveryEventOfTheChoice) {
  const Step step = make_step(detour());
  const EventSet certain(4);
  EXPECT_EQ(values_of(step, certain, model_over(step, certain), repeated()), std::nullopt);
}

TEST(ChoiceOf, RefusesFractions) {
  const Step step = make_step(detour());
  const EventSet events(4);
  const EventModel model = model_over(step, events);
  std::vector<double> values = *values_of(step, events, model, paged());
  values[0] += 1e-7;
  EXPECT_EQ(choice_of(step, events, model, values), paged());
  values[0] = 0.5;
  EXPECT_EQ(choice_of(step, events, model, values), std::nullopt);
}

TEST(EventModel, TheBudgetIsAColumnWhereItIsTheObjective) {
  const Step step = make_step(detour());
  const EventSet events(4);
  EventModelOptions options;
  options.objective = EventObjective::RamBudget;
  const EventModel model = make_event_model(step, events, {}, options);
  const std::vector<double> values = *values_of(step, events, model, paged());
  ASSERT_TRUE(model.budget);
  EXPECT_EQ(values[*model.budget] * model.byte_unit, 12);
}

}  // namespace
}  // namespace poet
