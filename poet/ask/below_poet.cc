#include "poet/ask/below_poet.h"

#include <fmt/core.h>

namespace poet {
namespace {

double margin_of(const Problem& problem, const PoetSays& poet) {
  return poet.run.fits() ? poet.rounding_ratio * objective_of(problem, poet.run.replay) : 0;
}

bool is_below_poet(const Problem& problem, const MethodRun& run, const PoetSays& poet) {
  return run.fits() && (!poet.run.fits() ||
                        objective_of(problem, run.replay) <
                            objective_of(problem, poet.run.replay) - margin_of(problem, poet));
}

std::string figure_of(const Problem& problem, double objective) {
  return fmt::format("{:.8g} {}", objective, problem.objective == Objective::Time ? "s" : "J");
}

}  // namespace

bool is_below_the_bound(const Problem& problem, const MethodRun& run, const PoetSays& poet) {
  return run.fits() && poet.bound &&
         objective_of(problem, run.replay) < *poet.bound - margin_of(problem, poet);
}

std::optional<std::string> finding_of(const Problem& problem, const MethodRun& run,
                                      const PoetSays& poet) {
  const bool below_bound = is_below_the_bound(problem, run, poet);
  if (!below_bound && !is_below_poet(problem, run, poet)) return std::nullopt;
  const char* const what = below_bound       ? ", less than any schedule of the class"
                           : poet.run.fits() ? ", less than what POET found"
                                             : " where POET found nothing";
  return fmt::format("{} needs {}{}: its schedule is {} the class that POET searches", run.method,
                     figure_of(problem, objective_of(problem, run.replay)), what,
                     run.in_class ? "in" : "outside");
}

}  // namespace poet
