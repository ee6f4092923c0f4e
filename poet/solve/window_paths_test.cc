#include "poet/solve/window_paths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

// a -> b -> c, and e and f that read c; keys at d and e, which use none of them. What e and f need
// may come in either window.
Problem chain_behind_two_keys() {
  Problem problem;
  for (std::int32_t i = 0; i < 6; ++i)
    problem.tensors.push_back(
        {.name = std::string(1, static_cast<char>('a' + i)), .size_bytes = 4});
  for (std::int32_t i = 0; i < 6; ++i)
    problem.operations.push_back({.name = "make " + problem.tensors[i].name,
                                  .outputs = {TensorId{i}},
                                  .compute_j = 1,
                                  .compute_s = 1});
  problem.operations[1].inputs = {TensorId{0}};
  problem.operations[2].inputs = {TensorId{1}};
  problem.operations[5].inputs = {TensorId{2}};
  problem.ram_budget_bytes = 8;
  problem.paging_allowed = false;
  problem.time_mode = TimeMode::Free;
  return problem;
}

std::map<std::string, double> named_terms(const WindowModel& model, const Inequality& cut) {
  std::map<std::string, double> terms;
  for (const LinearTerm& term : cut.terms) {
    const WindowColumnName& name = model.column_names[term.column];
    std::string text;
    for (const auto& [word, kind] : kWindowColumnKinds)
      if (kind == name.kind) text = word;
    for (std::size_t n = 0; n < arity_of(name.kind); ++n) text += " " + std::to_string(name.ids[n]);
    terms[text] = term.coefficient;
  }
  return terms;
}

std::int32_t column_of(const WindowModel& model, WindowColumnKind kind, std::int32_t window,
                       std::int32_t what) {
  for (std::size_t j = 0; j < model.column_names.size(); ++j)
    if (model.column_names[j] == WindowColumnName{kind, {window, what}})
      return static_cast<std::int32_t>(j);
  ADD_FAILURE() << "no such column";
  return 0;
}

// c comes half in each of two windows, from a b that is only half there at once: every row holds.
TEST(WindowPaths, FindsWhatIsMadeInHalves) {
  const Step step = make_step(chain_behind_two_keys());
  const WindowModel model = make_window_model(step, {.stages = {3, 4}});
  std::vector<double> values(model.linear.columns.size(), 0.0);
  const auto set = [&](WindowColumnKind kind, std::int32_t window, std::int32_t what) {
    values[column_of(model, kind, window, what)] = 0.5;
  };
  set(WindowColumnKind::Present, 1, 1);  // b at d
  set(WindowColumnKind::Made, 1, 2);     // c is made, and is half there at e
  set(WindowColumnKind::Present, 2, 2);
  set(WindowColumnKind::Present, 2, 1);  // and again from the same half
  set(WindowColumnKind::Made, 2, 2);
  for (const LinearRow& row : model.linear.rows) {
    double left = 0;
    for (const LinearTerm& term : row.terms) left += term.coefficient * values[term.column];
    EXPECT_GE(left, row.lower - 1e-9);
    EXPECT_LE(left, row.upper + 1e-9);
  }
  const std::vector<WindowCut> found = violated_paths(model, step, values, 0.01);
  ASSERT_EQ(found.size(), 1u);
  const std::map<std::string, double> expected = {
      {"present 1 2", -1}, {"present 1 1", -1}, {"made 1 1", -1}, {"made 2 1", -1}};
  EXPECT_EQ(named_terms(model, found[0].inequality), expected);
  EXPECT_EQ(found[0].inequality.most, -1);
  EXPECT_TRUE(found[0].inequality.is_path);
  EXPECT_EQ(found[0].divisor, 4);
  EXPECT_TRUE(violated_paths(model, step, values, 0.6).empty());
}

// Half of c, and the other half made from half of b: within one window rows say all of it.
TEST(WindowPaths, SayNoMoreThanRowsOfOneWindow) {
  const Step step = make_step(chain_behind_two_keys());
  const WindowModel model = make_window_model(step, {.stages = {3}});
  std::vector<double> values(model.linear.columns.size(), 0.0);
  values[column_of(model, WindowColumnKind::Present, 1, 2)] = 0.5;
  values[column_of(model, WindowColumnKind::Made, 1, 2)] = 0.5;
  values[column_of(model, WindowColumnKind::Present, 1, 1)] = 0.5;
  EXPECT_TRUE(violated_paths(model, step, values, 0.01).empty());
  values[column_of(model, WindowColumnKind::Present, 1, 1)] = 0.25;  // less than c is made from
  EXPECT_EQ(violated_paths(model, step, values, 0.01).size(), 1u);
}

}  // namespace
}  // namespace poet
