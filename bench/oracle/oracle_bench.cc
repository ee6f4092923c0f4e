// Holds the planner's answers against the oracle: `oracle_bench FIRST COUNT` for random problems by
// their seeds, `oracle_bench --file PROBLEM...` for problems in files. `oracle_bench --problem
// SEED` prints one. Each line of the output is an object of JSON; a line {"at": SEED} comes before
// the seed is looked at, so that whoever reads knows which one ended the process.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "poet/base/json_out.h"
#include "poet/problem/problem_json.h"
#include "support/false_answers.h"
#include "support/rich_problem.h"

namespace {

using poet::testing::AnswerCheck;

void print(const poet::JsonOut& line) {
  std::cout << poet::json_line(line) << std::endl;
}

void add(AnswerCheck& sum, const AnswerCheck& one) {
  sum.answers += one.answers;
  sum.unproved += one.unproved;
  sum.certificates += one.certificates;
  sum.covered += one.covered;
}

int ask_seeds(std::uint64_t first, std::uint64_t count) {
  AnswerCheck sum;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    print({{"at", seed}});
    const AnswerCheck check = poet::testing::check_answers(poet::testing::rich_problem(seed), seed);
    if (!check.falsehoods.empty()) print({{"seed", seed}, {"false", check.falsehoods}});
    add(sum, check);
  }
  print({{"first", first},
         {"problems", count},
         {"answers", sum.answers},
         {"unproved", sum.unproved},
         {"certificates", sum.certificates},
         {"covered", sum.covered}});
  return 0;
}

int ask_file(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const poet::Result<poet::Problem> problem = poet::parse_problem(text.str(), path);
  if (!problem.ok()) {
    std::cerr << to_string(problem.error()) << '\n';
    return 2;
  }
  // Other seeds leave other techniques out.
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const AnswerCheck check = poet::testing::check_answers(*problem, seed);
    print({{"file", path},
           {"seed", seed},
           {"unproved", check.unproved},
           {"false", check.falsehoods}});
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view first = count > 1 ? words[1] : "";
  if (first == "--file" && count > 2) {
    int worst = 0;
    for (int n = 2; n < count; ++n) worst = std::max(worst, ask_file(words[n]));
    return worst;
  }
  if (first == "--problem" && count == 3) {
    std::cout << problem_text(poet::testing::rich_problem(std::strtoull(words[2], nullptr, 10)));
    return 0;
  }
  if (count == 3)
    return ask_seeds(std::strtoull(words[1], nullptr, 10), std::strtoull(words[2], nullptr, 10));
  std::cerr << "usage: oracle_bench FIRST COUNT | --file PROBLEM... | --problem SEED\n";
  return 2;
}
