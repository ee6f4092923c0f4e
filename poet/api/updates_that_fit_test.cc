#include "poet/api/updates_that_fit.h"

#include <gtest/gtest.h>

#include "poet/api/instance.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

PlanRequest lenet5(Updates updates, std::int64_t budget_bytes) {
  PlanRequest request{.model = "lenet5", .platform = "m4"};
  request.training.updates = updates;
  request.ram_budget = RamBytes{budget_bytes};
  return request;
}

Problem problem_of(const PlanRequest& request) {
  Result<Problem> problem = make_problem(request);
  EXPECT_TRUE(problem.ok()) << problem.error().message;
  return *std::move(problem);
}

// fc1 has 120 x 400 weights of 4 bytes: with the gradient 384,000, and 32 of the step.
constexpr std::int64_t kSeparateBytes = 384'032;

TEST(UpdatesThatFit, AreSeparateAsLongAsTheBudgetHoldsThem) {
  const Problem separate = problem_of(lenet5(Updates::Separate, kSeparateBytes));
  EXPECT_EQ(largest_working_set(separate).bytes, kSeparateBytes);
  EXPECT_EQ(problem_of(lenet5(Updates::Auto, kSeparateBytes)), separate);
}

TEST(UpdatesThatFit, AreSlicedBelowThat) {
  const Problem sliced = problem_of(lenet5(Updates::Auto, kSeparateBytes - 1));
  EXPECT_EQ(sliced.ram_budget_bytes, kSeparateBytes - 1);
  EXPECT_LT(largest_working_set(sliced).bytes, 240'000);
  const Problem separate = problem_of(lenet5(Updates::Separate, kSeparateBytes - 1));
  EXPECT_EQ(separate.operations.size(), sliced.operations.size() + 1);  // only fc1's
}

TEST(UpdatesThatFit, ChangeNothingWhereNothingIsTooLarge) {
  const PlanRequest request = lenet5(Updates::Auto, kSeparateBytes);
  const Problem problem = problem_of(request);
  const Problem* const one = &problem;
  EXPECT_FALSE(with_updates_that_fit(request, {&one, 1}, kSeparateBytes));
  EXPECT_TRUE(with_updates_that_fit(request, {&one, 1}, kSeparateBytes - 1));
  PlanRequest fast = request;
  fast.kernels.library = KernelLibrary::Onednn;
  EXPECT_FALSE(with_updates_that_fit(fast, {&one, 1}, kSeparateBytes - 1));
}

TEST(UpdatesThatFit, AreNotForTheKernelsOfOnednn) {
  PlanRequest request = lenet5(Updates::Sliced, kSeparateBytes);
  request.kernels.library = KernelLibrary::Onednn;
  const Result<Problem> problem = make_problem(request);
  ASSERT_FALSE(problem.ok());
  EXPECT_EQ(problem.error().message,
            "--updates sliced is for the reference kernels: oneDNN's make gradients as a whole, to "
            "other bits");
}

}  // namespace
}  // namespace poet
