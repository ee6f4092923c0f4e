#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/problem/problem.h"
#include "support/truth.h"

namespace poet::testing {

// What the planner claims of one problem, held against the oracle and the verifier: the answer with
// every technique and with some left out, with all events from the start and with pricing, exact
// and with the default gap; certificates; the smallest budget; the figures of a refusal.
struct AnswerCheck {
  // Claims that are not so, each in one sentence with claim and truth; empty: none was found.
  std::vector<std::string> falsehoods = {};
  int answers = 0;  // that were looked at
  int unproved =
      0;  // of these, schedules that are not called optimal, although nothing was limited
  int certificates = 0;
  int covered = 0;  // of these, those that prove all that is claimed
};

// `seed` chooses which techniques are left out.
AnswerCheck check_answers(const Problem& problem, std::uint64_t seed);
// With several seeds, for one problem.
AnswerCheck check_answers(Truth& truth, std::uint64_t seed);

}  // namespace poet::testing
