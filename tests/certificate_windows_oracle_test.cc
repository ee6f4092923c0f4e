// Certificates that hold a tree over a window model, against the oracle: whatever rows, cuts and
// cases a file holds, what the verifier takes from it is never above the optimum, and the solver
// and the verifier derive the same model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "poet/problem/certificate.h"
#include "poet/solve/certify_windows.h"
#include "poet/solve/window_inequalities.h"
#include "poet/solve/window_model.h"
#include "poet/solve/window_paths.h"
#include "poet/verify/window_proof.h"
#include "poet/verify/window_rows.h"
#include "support/certified_instance.h"
#include "support/random_cases.h"
#include "support/solved_instances.h"

namespace poet::testing {
namespace {

constexpr double kBackend = 1e-6;  // relative: a backend's tolerances

class EveryWindowCertificate : public ::testing::TestWithParam<InstanceBlock> {};

WindowKeys some_keys(const Step& step, std::mt19937_64& random, bool every) {
  WindowKeys keys;
  for (std::int32_t t = 0; t < step.stages(); ++t)
    if (every || random() % 2 == 0) keys.stages.push_back(t);
  const auto has = [&keys](std::int32_t t) {
    return std::find(keys.stages.begin(), keys.stages.end(), t) != keys.stages.end();
  };
  for (std::int32_t t = 0; t < step.stages(); ++t)
    for (std::int32_t k = 0; k < t; ++k)
      if (has(t) && has(t - 1) && (every || random() % 2 == 0)) keys.crowded.push_back({t, k});
  return keys;
}

std::map<WindowColumnName, double> by_name(const Inequality& row, const WindowModel& model,
                                           double scale) {
  std::map<WindowColumnName, double> terms;
  for (const LinearTerm& term : row.terms)
    if (term.coefficient != 0) terms[model.column_names[term.column]] = term.coefficient / scale;
  return terms;
}

// The rows that the solver has and those that the verifier derives are the same.
TEST_P(EveryWindowCertificate, BothKnowTheSameWindowModel) {
  for_each_certified(GetParam(), [](const CertifiedInstance& instance, std::mt19937_64& random) {
    for (const bool every : {true, false}) {
      const WindowModel model =
          make_window_model(instance.step, some_keys(instance.step, random, every));
      WindowRows rows(instance.proof_step, model.keys.stages);
      const std::vector<Inequality> own = inequalities_of(model);
      EXPECT_NEAR(rows.constant_cost(), instance.step.once_cost + model.constant_cost, 1e-9);
      for (std::size_t n = 0; n < own.size(); ++n) {
        const Result<ProofInequality> derived = rows.row(model.row_names[n]);
        ASSERT_TRUE(derived.ok()) << derived.error().message;
        std::map<WindowColumnName, double> terms;
        for (const auto& [column, coefficient] : derived->terms)
          if (coefficient != 0) terms[rows.columns()[column].name] = coefficient;
        const auto expected = by_name(own[n], model, model.row_scales[n]);
        ASSERT_EQ(terms.size(), expected.size()) << name_text(model.row_names[n]);
        for (const auto& [name, coefficient] : expected)
          ASSERT_NEAR(terms[name], coefficient, 1e-9) << name_text(model.row_names[n]);
        ASSERT_NEAR(derived->most, own[n].most / model.row_scales[n], 1e-6);
      }
      std::size_t whole = 0;
      for (std::size_t j = 0; j < model.column_names.size(); ++j) {
        const auto column = rows.column(model.column_names[j]);
        ASSERT_TRUE(column) << name_text(model.column_names[j]);
        ASSERT_NEAR(rows.columns()[*column].cost, model.linear.columns[j].cost, 1e-12);
        whole += model.linear.columns[j].kind == ColumnKind::Integer ? 1 : 0;
      }
      ASSERT_EQ(whole, std::count_if(rows.columns().begin(), rows.columns().end(),
                                     [](const ProofColumn& column) { return column.whole; }));
    }
  });
}

WindowProof names_of_model(const WindowModel& model) {
  WindowProof proof;
  proof.keys = model.keys.stages;
  proof.rows = model.row_names;
  for (std::size_t j = 0; j < model.column_names.size(); ++j)
    if (model.linear.columns[j].kind == ColumnKind::Integer)
      proof.columns.push_back(model.column_names[j]);
  return proof;
}

std::vector<Weight> random_weights(std::size_t count, double density, double scale,
                                   std::mt19937_64& random) {
  std::vector<Weight> weights;
  for (std::size_t n = 0; n < count; ++n)
    if (unit_draw(random) < density)
      weights.push_back({static_cast<std::int32_t>(n), scale * unit_draw(random)});
  return weights;
}

// A tree of some depth below the place of the next node.
void add_random_tree(WindowProof& proof, std::vector<std::int32_t> free_columns, int depth,
                     const std::function<ProofLeaf()>& leaf, std::mt19937_64& random) {
  const std::size_t here = proof.nodes.size();
  proof.nodes.emplace_back(ProofLeaf{});
  if (depth == 0 || free_columns.empty() || random() % 5 == 0) {
    proof.nodes[here] = leaf();
    return;
  }
  const std::size_t pick = random() % free_columns.size();
  ProofBranch branch{free_columns[pick], static_cast<std::int32_t>(here) + 1, 0};
  free_columns.erase(free_columns.begin() + static_cast<std::ptrdiff_t>(pick));
  add_random_tree(proof, free_columns, depth - 1, leaf, random);
  branch.one = static_cast<std::int32_t>(proof.nodes.size());
  add_random_tree(proof, free_columns, depth - 1, leaf, random);
  proof.nodes[here] = branch;
}

TEST_P(EveryWindowCertificate, NoRandomTreeProvesTooMuch) {
  for_each_certified(GetParam(), [](const CertifiedInstance& instance, std::mt19937_64& random) {
    const WindowModel model =
        make_window_model(instance.step, some_keys(instance.step, random, random() % 2 == 0));
    const WindowProof names = names_of_model(model);
    std::vector<std::int32_t> columns;
    for (std::size_t j = 0; j < names.columns.size(); ++j)
      columns.push_back(static_cast<std::int32_t>(j));
    for (int n = 0; n < 8; ++n) {
      WindowProof proof = names;
      for (std::size_t c = 0; c < random() % 4; ++c) {
        RoundingCut cut{random_weights(proof.rows.size(), 0.3, 1, random),
                        random_weights(proof.cuts.size(), 0.5, 1, random),
                        {},
                        0.25 + 3 * unit_draw(random)};
        for (const std::int32_t column : columns)
          if (random() % 2 == 0) cut.complemented.push_back(column);
        proof.cuts.push_back(cut);
      }
      const double density = unit_draw(random), scale = 2 * unit_draw(random);
      const auto leaf = [&] {
        return ProofLeaf{random_weights(proof.rows.size(), density, scale, random),
                         random_weights(proof.cuts.size(), density, scale, random)};
      };
      add_random_tree(proof, columns, 4, leaf, random);
      proved_by(instance, proof);
    }
  });
}

TEST_P(EveryWindowCertificate, TheSolversTreesProveWhatItSays) {
  std::size_t trees = 0, cuts = 0;
  for_each_certified(GetParam(), [&](const CertifiedInstance& instance, std::mt19937_64& random) {
    for (const bool every : {true, false}) {
      const WindowKeys keys = some_keys(instance.step, random, every);
      const WindowModel model = make_window_model(instance.step, keys);
      const RelaxationAnswer relaxed = any_backend().relax(model.linear)->solve({});
      ASSERT_EQ(relaxed.status, LinearStatus::Optimal);
      // More than can be shown, so that the tree goes on to its end.
      const double target = instance.cheapest - instance.step.once_cost + 100;
      const CertifyLimits limits{.most_cut_rounds = every ? 80 : 0};
      const CertifiedWindows made =
          certify_windows(instance.step, keys, 1, target, any_backend(), limits, {});
      const std::optional<double> proved = proved_by(instance, made.proof);
      ASSERT_TRUE(proved);
      EXPECT_NEAR(*proved, instance.step.once_cost + made.bound, rounding_of(*proved, kBackend));
      EXPECT_GE(made.bound,
                relaxed.objective + model.constant_cost - rounding_of(*proved, kBackend));
      const IntegerAnswer whole = any_backend().solve(model.linear, {}, {}, {}, {});
      EXPECT_NEAR(made.bound, whole.objective + model.constant_cost, rounding_of(*proved, 1e-5));
      trees += made.proof.nodes.size() > 1 ? 1 : 0;
      cuts += made.proof.cuts.size();
    }
  });
  if (GetParam().paging) {
    EXPECT_GE(trees, static_cast<std::size_t>(random_cases(10)));
    EXPECT_GE(cuts, kUnderSanitizers ? 1u : 20u);
  }
}

// What the verifier makes of the reason of a path inequality is that inequality.
TEST_P(EveryWindowCertificate, BothMakeTheSamePaths) {
  std::size_t paths = 0;
  for_each_certified(GetParam(), [&](const CertifiedInstance& instance, std::mt19937_64& random) {
    const WindowModel model =
        make_window_model(instance.step, some_keys(instance.step, random, random() % 2 == 0));
    std::vector<double> values;
    for (std::size_t j = 0; j < model.linear.columns.size(); ++j)
      values.push_back(unit_draw(random));
    WindowRows rows(instance.proof_step, model.keys.stages);
    for (const WindowCut& cut : violated_paths(model, instance.step, values, -kInfinity)) {
      std::vector<ProofInequality> derived;
      for (const Weight& weight : cut.weights)
        derived.push_back(rows.row(model.row_names[weight.place]).value());
      std::vector<WeightedInequality> parts;
      for (std::size_t n = 0; n < derived.size(); ++n)
        parts.push_back(
            {&derived[n], cut.weights[n].value * model.row_scales[cut.weights[n].place]});
      std::vector<bool> complemented(rows.columns().size(), false);
      for (const std::int32_t j : cut.complemented)
        complemented[*rows.column(model.column_names[j])] = true;
      const Result<ProofInequality> made =
          rounded(sum_of(parts, rows.columns().size()), rows.columns(), complemented, cut.divisor);
      ASSERT_TRUE(made.ok()) << made.error().message;
      std::map<WindowColumnName, double> terms;
      for (const auto& [column, coefficient] : made->terms)
        if (coefficient != 0) terms[rows.columns()[column].name] = coefficient;
      const auto expected = by_name(cut.inequality, model, 1);
      ASSERT_EQ(terms.size(), expected.size());
      for (const auto& [name, coefficient] : expected)
        ASSERT_NEAR(terms[name], coefficient, 1e-9) << name_text(name);
      ASSERT_NEAR(made->most, cut.inequality.most, 1e-9);
      ++paths;
    }
  });
  // Fewer cases, as under sanitizers, may have none.
  if (GetParam().rematerialisation && random_cases(10) == 10) {
    EXPECT_GE(paths, 10U);
  }
}

// Whatever relaxation they are found for, path inequalities hold for all whole values of the
// columns: no cost has another optimum with them.
TEST_P(EveryWindowCertificate, NoPathCutsOffASolution) {
  std::size_t paths = 0;
  for_each_certified(GetParam(), [&](const CertifiedInstance& instance, std::mt19937_64& random) {
    WindowModel model =
        make_window_model(instance.step, some_keys(instance.step, random, random() % 2 == 0));
    std::vector<double> values;
    for (LinearColumn& column : model.linear.columns) {
      column.cost = 2 * unit_draw(random) - 0.5;
      values.push_back(unit_draw(random) / 4);
    }
    const std::vector<WindowCut> found = violated_paths(model, instance.step, values, -kInfinity);
    if (found.empty()) return;
    const IntegerAnswer free = any_backend().solve(model.linear, {}, {}, {}, {});
    ASSERT_EQ(free.status, LinearStatus::Optimal);
    for (const WindowCut& cut : found)
      model.linear.add_row({-kInfinity, cut.inequality.most, cut.inequality.terms});
    const IntegerAnswer held = any_backend().solve(model.linear, {}, {}, {}, {});
    ASSERT_EQ(held.status, LinearStatus::Optimal);
    ASSERT_NEAR(held.objective, free.objective, rounding_of(free.objective, kBackend));
    paths += found.size();
  });
  // Fewer cases, as under sanitizers, may have none.
  if (GetParam().rematerialisation && random_cases(10) == 10) {
    EXPECT_GE(paths, 10U);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, EveryWindowCertificate,
                         ::testing::ValuesIn(every_block(9'000'000, 100'000)));

}  // namespace
}  // namespace poet::testing
