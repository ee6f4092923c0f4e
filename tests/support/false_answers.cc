#include "false_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "poet/overlap/planner.h"
#include "poet/problem/deadline.h"
#include "poet/problem/facts.h"
#include "poet/solve/allowed_gap.h"
#include "poet/solve/budget_solver.h"
#include "poet/solve/solver.h"
#include "poet/verify/certificate_check.h"
#include "poet/verify/replay.h"
#include "truth.h"

namespace poet::testing {
namespace {

// The margin that SolveOptions states, and the rounding of sums in two orders.
const double kRoundingRatio = SolveOptions{}.rounding_ratio + 1e-12;

// One way to ask.
struct Question {
  std::string name = {};
  SolveOptions options = {};
};

std::vector<Question> questions(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  Question plain{.name = "default"};
  plain.options.certificate = CertificateEffort::Whole;
  Question exact{.name = "no gap"};
  exact.options.gap_ratio = 0;
  Question without{.name = "no gap, without"};
  without.options.gap_ratio = 0;
  if (engine() % 2 == 0) without.options.certificate = CertificateEffort::Cheap;
  for (const Named<bool Techniques::*>& technique : kTechniqueNames)
    if (engine() % 2 == 0) {
      without.options.techniques.*technique.value = false;
      without.name += " " + std::string(technique.name);
    }
  for (Question* const question : {&exact, &without})
    if (engine() % 2 == 0) {
      question->options.few_events = 0;
      question->options.first_depth = static_cast<std::int32_t>(engine() % 2);
      question->name += ", pricing";
    }
  return {plain, exact, without};
}

class Examiner {
 public:
  Examiner(Truth& truth, std::uint64_t seed)
      : truth_(truth), problem_(truth.problem()), seed_(seed), cheapest_(truth.least_objective()) {}

  AnswerCheck run() {
    const std::unique_ptr<Solver> solver = planner_table().front().make();
    for (const Question& question : questions(seed_)) {
      asked_ = question.name;
      const Result<SolveReport> report = solver->solve(problem_, question.options, {}, {});
      if (!report.ok()) {
        wrong(report.error().message);
        continue;
      }
      ++check_.answers;
      examine(*report, question.options);
    }
    asked_ = "minimum";
    examine_minimum();
    return std::move(check_);
  }

 private:
  void wrong(const std::string& sentence) { check_.falsehoods.push_back(asked_ + ": " + sentence); }

  static double rounding(double value) { return kRoundingRatio * std::abs(value); }

  std::string the_truth() const {
    return cheapest_ ? fmt::format("the least is {}", *cheapest_) : "there is no schedule";
  }

  void examine(const SolveReport& report, const SolveOptions& options) {
    if (report.certificate) examine_certificate(*report.certificate);
    if (report.status == SolveStatus::Infeasible) return examine_refusal(report);
    const bool stated = report.status == SolveStatus::Optimal;
    if (!stated) ++check_.unproved;
    if (cheapest_ && report.lower_bound > *cheapest_ + rounding(*cheapest_))
      wrong(fmt::format("bound {}, but {}", report.lower_bound, the_truth()));
    if (!report.best) {
      if (stated) wrong("optimal without a schedule");
      return;
    }
    examine_schedule(report);
    if (!cheapest_)
      return wrong(fmt::format("a schedule of {}, but {}", report.objective, the_truth()));
    const double gap =
        stated ? allowed_gap(options, report.objective, unavoidable_objective(problem_)) : INFINITY;
    if (report.objective > *cheapest_ + gap + rounding(*cheapest_))
      wrong(fmt::format("optimal at {}, but {}", report.objective, the_truth()));
    if (report.objective < *cheapest_ - rounding(*cheapest_))
      wrong(fmt::format("objective {}, but {}", report.objective, the_truth()));
  }

  void examine_schedule(const SolveReport& report) {
    const Replay replayed = replay(problem_, *report.best);
    if (!replayed.valid()) return wrong("its schedule: " + replayed.findings.front().message);
    const double objective = objective_of(problem_, replayed);
    if (std::abs(objective - report.objective) > rounding(objective))
      wrong(fmt::format("objective {}, but its schedule's is {}", report.objective, objective));
  }

  void examine_certificate(const Certificate& certificate) {
    const CertificateCheck proof = check_certificate(problem_, certificate);
    if (!proof.holds()) return wrong("its certificate: " + *proof.fault);
    ++check_.certificates;
    if (covers_claim(proof, certificate)) ++check_.covered;
    if (certificate.claim != Claim::Bound) {
      if (cheapest_ && proof.impossible)
        wrong("its certificate proves that there is no schedule, but " + the_truth());
      return;
    }
    if (cheapest_ && proof.proved_bound > *cheapest_ + rounding(*cheapest_))
      wrong(fmt::format("its certificate proves {}, but {}", proof.proved_bound, the_truth()));
  }

  // --- refusals

  void examine_refusal(const SolveReport& report) {
    if (cheapest_) return wrong("infeasible, but " + the_truth());
    if (!report.infeasibility) return wrong("infeasible without a reason");
    const Infeasibility& no = *report.infeasibility;
    if (no.least_budget_bytes && truth_.works_with(*no.least_budget_bytes - 1))
      wrong(fmt::format("no budget below {} works, but one does", *no.least_budget_bytes));
    if (no.working_budget_bytes && !truth_.works_with(*no.working_budget_bytes))
      wrong(fmt::format("a budget of {} does not work", *no.working_budget_bytes));
    if (!no.least_time_s && !no.working_time_s) return;
    const std::optional<double>& least_s = truth_.least_time_s();
    if (no.least_time_s && least_s && !within_deadline(*no.least_time_s, *least_s))
      wrong(fmt::format("no deadline below {} works, but {} does", *no.least_time_s, *least_s));
    if (no.working_time_s && (!least_s || !within_deadline(*least_s, *no.working_time_s)))
      wrong(fmt::format("a deadline of {} does not work", *no.working_time_s));
  }

  // --- the smallest budget

  void examine_minimum() {
    SolveOptions options;
    options.gap_ratio = 0;
    options.few_events = seed_ % 2 == 0 ? options.few_events : 0;
    const Result<BudgetReport> report = solve_least_budget(problem_, options, {}, {});
    if (!report.ok()) return wrong(report.error().message);
    const LeastBudget& least = report->least;
    ++check_.answers;
    if (least.status == SolveStatus::Infeasible) {
      std::int64_t everything_bytes = 0;
      for (const Tensor& tensor : problem_.tensors) everything_bytes += tensor.size_bytes;
      for (const Operation& operation : problem_.operations)
        everything_bytes += operation.workspace_bytes;
      if (truth_.works_with(everything_bytes)) wrong("no budget works, but one does");
      return;
    }
    if (least.status != SolveStatus::Optimal) ++check_.unproved;
    if (truth_.works_with(least.proved_bytes - 1))
      wrong(fmt::format("no budget below {} works, but one does", least.proved_bytes));
    if (!least.found_bytes || !least.schedule) return;
    Problem smallest = problem_;
    smallest.ram_budget_bytes = *least.found_bytes;
    const Replay replayed = replay(smallest, *least.schedule);
    if (!replayed.valid())
      wrong(fmt::format("{} bytes: {}", *least.found_bytes, replayed.findings.front().message));
    if (least.status == SolveStatus::Optimal && *least.found_bytes != least.proved_bytes)
      wrong("optimal, but found and proved differ");
  }

  Truth& truth_;
  const Problem& problem_;
  std::uint64_t seed_;
  std::optional<double> cheapest_;
  std::string asked_ = {};
  AnswerCheck check_ = {};
};

}  // namespace

AnswerCheck check_answers(Truth& truth, std::uint64_t seed) {
  return Examiner(truth, seed).run();
}

AnswerCheck check_answers(const Problem& problem, std::uint64_t seed) {
  Truth truth(problem);
  return check_answers(truth, seed);
}

}  // namespace poet::testing
