#include "poet/problem/costed_graph.h"

#include <gtest/gtest.h>

#include "poet/problem/facts.h"

namespace poet {
namespace {

// a -> b -> c, and a -> c.
CostedGraph graph() {
  return {.name = "three",
          .nodes = {{.name = "a", .output_bytes = 10, .duration_s = 1},
                    {.name = "b",
                     .inputs = {OperationId{0}},
                     .output_bytes = 20,
                     .duration_s = 2,
                     .compute_j = 8,
                     .page_in_j = 0.5,
                     .page_out_j = 0.25,
                     .page_in_s = 4,
                     .page_out_s = 16},
                    {.name = "c",
                     .inputs = {OperationId{0}, OperationId{1}},
                     .output_bytes = 40,
                     .duration_s = 3,
                     .backward = true}}};
}

TEST(ProblemOfCostedGraph, MakesOneOperationAndOneTensorOfEachNode) {
  const Problem problem = problem_of(graph());
  EXPECT_FALSE(check_problem(problem).has_value());
  EXPECT_EQ(problem.name, "three");
  ASSERT_EQ(problem.operations.size(), 3u);
  EXPECT_EQ(problem.operations[1], (Operation{.name = "b",
                                              .inputs = {TensorId{0}},
                                              .outputs = {TensorId{1}},
                                              .compute_j = 8,
                                              .compute_s = 2}));
  EXPECT_EQ(problem.operations[2], (Operation{.name = "c",
                                              .inputs = {TensorId{0}, TensorId{1}},
                                              .outputs = {TensorId{2}},
                                              .compute_s = 3,
                                              .backward = true}));
  ASSERT_EQ(problem.tensors.size(), 3u);
  EXPECT_EQ(problem.tensors[1], (Tensor{.name = "b",
                                        .size_bytes = 20,
                                        .page_in_j = 0.5,
                                        .page_out_j = 0.25,
                                        .page_in_s = 4,
                                        .page_out_s = 16}));
  EXPECT_EQ(plain_peak_bytes(problem), 70);
}

TEST(ProblemOfCostedGraph, MinimisesTimeUnlessEnergiesAreKnown) {
  CostedGraph one = graph();
  EXPECT_EQ(problem_of(one).objective, Objective::Time);
  one.has_energies = true;
  EXPECT_EQ(problem_of(one).objective, Objective::Energy);
}

TEST(ProblemOfCostedGraph, PagesOnlyWhereThereIsStorage) {
  CostedGraph one = graph();
  EXPECT_FALSE(problem_of(one).paging_allowed);
  one.has_storage = true;
  EXPECT_TRUE(problem_of(one).paging_allowed);
}

TEST(ProblemOfCostedGraph, WaitsForTransfersWhoseTimesAreKnown) {
  CostedGraph one = graph();
  EXPECT_EQ(problem_of(one).time_mode, TimeMode::Free);
  one.has_transfer_times = true;
  EXPECT_EQ(problem_of(one).time_mode, TimeMode::Blocking);
}

}  // namespace
}  // namespace poet
