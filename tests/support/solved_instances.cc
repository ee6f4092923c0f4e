#include "solved_instances.h"

#include <gtest/gtest.h>

#include <optional>

#include "cheapest.h"
#include "shown_on_failure.h"

namespace poet::testing {

void for_each_solved(const InstanceBlock& block, int count, const InstanceCheck& check) {
  const RandomProblemOptions options = options_of(block);
  for (std::uint64_t seed = block.first_seed; count > 0; ++seed) {
    const Problem problem = random_problem(options, seed);
    const std::optional<double> cheapest = cheapest_objective(problem);
    if (!cheapest) continue;
    --count;
    const ShownOnFailure shown(problem, seed);
    std::mt19937_64 random(seed);
    check(problem, *cheapest, random);
    if (::testing::Test::HasFailure()) return;
  }
}

double unit_draw(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

}  // namespace poet::testing
