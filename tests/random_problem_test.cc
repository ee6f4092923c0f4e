#include "support/random_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "poet/problem/facts.h"
#include "poet/problem/problem.h"

namespace poet::testing {
namespace {

constexpr std::uint64_t kSeeds = 2000;

TEST(RandomProblem, IsWellFormed) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (const RandomProblemOptions& options : {RandomProblemOptions{}, simple_family()}) {
      const Failure failure = check_problem(random_problem(options, seed));
      ASSERT_FALSE(failure) << "seed " << seed << ": " << failure->message;
    }
  }
}

TEST(RandomProblem, TheSeedDecides) {
  EXPECT_EQ(random_problem({}, 7), random_problem({}, 7));
  EXPECT_NE(random_problem({}, 7), random_problem({}, 8));
}

TEST(RandomProblem, HasAsManyOperationsAsAsked) {
  RandomProblemOptions options;
  options.least_operations = 3;
  options.most_operations = 5;
  std::vector<bool> seen(9, false);
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    seen[random_problem(options, seed).operations.size()] = true;
  const std::vector<bool> expected = {false, false, false, true, true, true, false, false, false};
  EXPECT_EQ(seen, expected);
}

TEST(RandomProblem, KeepsToWhatIsGiven) {
  RandomProblemOptions options;
  options.paging = false;
  options.rematerialisation = true;
  options.time_mode = TimeMode::Free;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Problem problem = random_problem(options, seed);
    ASSERT_FALSE(problem.paging_allowed);
    ASSERT_TRUE(problem.rematerialisation_allowed);
    ASSERT_EQ(problem.time_mode, TimeMode::Free);
  }
}

bool any_tensor(const Problem& problem, const std::function<bool(const Tensor&)>& holds) {
  return std::any_of(problem.tensors.begin(), problem.tensors.end(), holds);
}

bool any_operation(const Problem& problem, const std::function<bool(const Operation&)>& holds) {
  return std::any_of(problem.operations.begin(), problem.operations.end(), holds);
}

struct Feature {
  std::string name;
  std::function<bool(const Problem&)> present;
  bool simple = false;  // can appear in the simple family
};

bool view_of_a_view(const Problem& problem) {
  return any_operation(problem, [&](const Operation& operation) {
    return operation.view && at(problem.tensors, operation.inputs.front()).view_of.has_value();
  });
}

bool view_of_home(const Problem& problem, Home home) {
  return any_tensor(problem,
                    [&](const Tensor& tensor) { return tensor.view_of && tensor.home == home; });
}

bool in_place(const Problem& problem,
              const std::function<bool(const Tensor&, const Tensor&)>& pair) {
  return any_operation(problem, [&](const Operation& operation) {
    return operation.in_place &&
           pair(at(problem.tensors, root_of(problem, operation.in_place->input)),
                at(problem.tensors, operation.in_place->output));
  });
}

bool has_dead_output(const Problem& problem) {
  const auto all = readers(problem);
  for (std::size_t v = 0; v + 1 < problem.operations.size(); ++v) {
    for (const TensorId output : problem.operations[v].outputs) {
      if (!at(problem.tensors, output).view_of && at(all, output).empty()) return true;
    }
  }
  return false;
}

bool new_value_is_read(const Problem& problem) {
  const auto all = readers(problem);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (problem.tensors[i].updates && !all[i].empty()) return true;
  return false;
}

// Every feature once, by kind.
std::vector<Feature> tensor_features() {
  const auto tensor = [](std::string name, std::function<bool(const Tensor&)> holds, bool simple) {
    return Feature{std::move(name),
                   [holds](const Problem& problem) { return any_tensor(problem, holds); }, simple};
  };
  const auto home = [&](std::string name, Home wanted) {
    return tensor(
        std::move(name), [wanted](const Tensor& t) { return t.home == wanted; }, false);
  };
  return {home("storage", Home::Storage),
          home("rom", Home::Rom),
          home("resident", Home::Resident),
          tensor(
              "choosable", [](const Tensor& t) { return t.may_be_resident; }, false),
          tensor(
              "view", [](const Tensor& t) { return t.view_of.has_value(); }, false),
          tensor(
              "update of storage",
              [](const Tensor& t) { return t.updates && t.home == Home::Made; }, false),
          tensor(
              "update of resident",
              [](const Tensor& t) { return t.updates && t.home == Home::Resident; }, false),
          tensor(
              "no bytes", [](const Tensor& t) { return t.size_bytes == 0; }, true),
          {"view of a view", view_of_a_view},
          {"view of a home", [](const Problem& p) { return view_of_home(p, Home::Storage); }},
          {"view of rom", [](const Problem& p) { return view_of_home(p, Home::Rom); }},
          {"view of a resident", [](const Problem& p) { return view_of_home(p, Home::Resident); }},
          {"dead output", has_dead_output, true},
          {"new value read", new_value_is_read}};
}

std::vector<Feature> operation_features() {
  const auto operation = [](std::string name, std::function<bool(const Operation&)> holds,
                            bool simple) {
    return Feature{std::move(name),
                   [holds](const Problem& problem) { return any_operation(problem, holds); },
                   simple};
  };
  return {operation(
              "several outputs", [](const Operation& o) { return o.outputs.size() > 1; }, false),
          operation(
              "once", [](const Operation& o) { return o.once; }, false),
          operation(
              "no inputs", [](const Operation& o) { return o.inputs.empty(); }, true),
          operation(
              "workspace", [](const Operation& o) { return o.workspace_bytes > 0; }, false),
          operation(
              "written bytes", [](const Operation& o) { return o.written_bytes > 0; }, false),
          operation(
              "no cost", [](const Operation& o) { return o.compute_j == 0 && !o.view; }, true),
          operation(
              "in place", [](const Operation& o) { return o.in_place.has_value(); }, false),
          {"in place, smaller",
           [](const Problem& problem) {
             return in_place(problem, [](const Tensor& input, const Tensor& output) {
               return output.size_bytes < input.size_bytes;
             });
           }},
          {"in place on a home",
           [](const Problem& problem) {
             return in_place(problem, [](const Tensor& input, const Tensor& output) {
               return input.home == Home::Storage && !output.updates;
             });
           }},
          {"update in place", [](const Problem& problem) {
             return in_place(problem, [](const Tensor& input, const Tensor& output) {
               return input.home == Home::Storage && output.updates;
             });
           }}};
}

std::vector<Feature> limit_features() {
  return {
      {"idle power", [](const Problem& p) { return p.idle_w > 0; }},
      {"deadline", [](const Problem& p) { return p.deadline_s.has_value(); }, true},
      {"no deadline", [](const Problem& p) { return !p.deadline_s; }, true},
      {"capacity", [](const Problem& p) { return p.storage_capacity_bytes.has_value(); }},
      {"write budget", [](const Problem& p) { return p.write_budget_bytes.has_value(); }},
      {"time objective", [](const Problem& p) { return p.objective == Objective::Time; }},
      {"no paging", [](const Problem& p) { return !p.paging_allowed; }, true},
      {"no remat", [](const Problem& p) { return !p.rematerialisation_allowed; }, true},
      {"free", [](const Problem& p) { return p.time_mode == TimeMode::Free; }, true},
      {"blocking", [](const Problem& p) { return p.time_mode == TimeMode::Blocking; }},
      {"below the largest working set",
       [](const Problem& p) { return p.ram_budget_bytes < largest_working_set(p).bytes; }, true},
      {"below the plain peak",
       [](const Problem& p) {
         return p.ram_budget_bytes < plain_peak_bytes(p) &&
                p.ram_budget_bytes >= largest_working_set(p).bytes;
       },
       true}};
}

std::uint64_t count(const Feature& feature, const RandomProblemOptions& options) {
  std::uint64_t found = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
    found += feature.present(random_problem(options, seed)) ? 1 : 0;
  return found;
}

struct Kind {
  std::string name;
  std::vector<Feature> (*features)();
};

void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.name;
}

class EveryFeature : public ::testing::TestWithParam<Kind> {};

// In one problem of a hundred at least; in the simple family where the released formulation can
// follow.
TEST_P(EveryFeature, IsDrawnWhereItBelongs) {
  for (const Feature& feature : GetParam().features()) {
    SCOPED_TRACE(feature.name);
    EXPECT_GE(count(feature, {}), kSeeds / 100);
    if (feature.simple)
      EXPECT_GE(count(feature, simple_family()), kSeeds / 100);
    else
      EXPECT_EQ(count(feature, simple_family()), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(RandomProblem, EveryFeature,
                         ::testing::Values(Kind{"tensors", tensor_features},
                                           Kind{"operations", operation_features},
                                           Kind{"limits", limit_features}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace poet::testing
