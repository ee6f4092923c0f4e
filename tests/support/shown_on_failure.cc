#include "shown_on_failure.h"

#include <gtest/gtest.h>

#include "poet/problem/problem_json.h"

namespace poet::testing {
namespace {

// Skips are parts of a result as well, but nobody skips in the middle of an instance.
int failures() {
  return ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
}

}  // namespace

ShownOnFailure::ShownOnFailure(const Problem& problem, std::uint64_t seed)
    : problem_(problem), seed_(seed), failures_before_(failures()) {}

ShownOnFailure::~ShownOnFailure() {
  if (failures() > failures_before_)
    ADD_FAILURE() << "That was seed " << seed_ << ": " << problem_text(problem_);
}

}  // namespace poet::testing
