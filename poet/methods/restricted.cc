// Exact solves with one technique ruled out (docs/model/problem.md §1), and Checkmate's model
// (Jain et al., MLSys 2020) as one of them.
#include "poet/methods/restricted.h"

#include "poet/methods/needs.h"
#include "poet/methods/proposals.h"
#include "poet/overlap/planner.h"

namespace poet {
namespace {

// Answers `asked` in place of `problem`, and reports by the rules of `problem`. What was proved of
// `asked` is no bound on `problem`; the notes say it.
Result<SolveReport> solve_instead(std::string_view name, const Problem& problem,
                                  const Problem& asked, const SolveOptions& options,
                                  const Stop& stop, const ProgressSink& progress) {
  SolveOptions plain = options;
  plain.certificate = CertificateEffort::None;
  const Result<SolveReport> solved = make_planner()->solve(asked, plain, stop, progress);
  if (!solved.ok()) return solved.error();
  Proposals proposals(problem);
  if (solved->best) proposals.offer(*solved->best);
  SolveReport report = proposals.report(name);
  report.best_of_its_kind = solved->status == SolveStatus::Optimal;
  report.evidence = solved->evidence;
  report.effort = solved->effort;
  report.backend = solved->backend;
  report.notes = solved->notes;
  if (solved->status == SolveStatus::Infeasible) {
    report.status = SolveStatus::Infeasible;
    report.infeasibility = solved->infeasibility;
  }
  return report;
}

class Restricted : public Solver {
 public:
  explicit Restricted(std::string_view name) : name_(name) {}
  std::string_view name() const override { return name_; }

 protected:
  std::string_view name_;
};

class PagingAlone final : public Restricted {
 public:
  PagingAlone() : Restricted("paging") {}
  Result<SolveReport> solve(const Problem& problem, const SolveOptions& options, const Stop& stop,
                            const ProgressSink& progress) const override {
    if (Failure failure = needs_paging(problem)) return *failure;
    Problem asked = problem;
    asked.rematerialisation_allowed = false;
    return solve_instead(name_, problem, asked, options, stop, progress);
  }
};

class RematerialisationAlone final : public Restricted {
 public:
  RematerialisationAlone() : Restricted("rematerialisation") {}
  Result<SolveReport> solve(const Problem& problem, const SolveOptions& options, const Stop& stop,
                            const ProgressSink& progress) const override {
    if (Failure failure = needs_rematerialisation(problem)) return *failure;
    Problem asked = problem;
    asked.paging_allowed = false;
    return solve_instead(name_, problem, asked, options, stop, progress);
  }
};

class Checkmate final : public Restricted {
 public:
  Checkmate() : Restricted("checkmate") {}
  Result<SolveReport> solve(const Problem& problem, const SolveOptions& options, const Stop& stop,
                            const ProgressSink& progress) const override {
    if (Failure failure = needs_rematerialisation(problem)) return *failure;
    Problem asked = problem;
    asked.paging_allowed = false;
    asked.objective = Objective::Time;
    asked.deadline_s.reset();
    asked.idle_w = 0;
    return solve_instead(name_, problem, asked, options, stop, progress);
  }
};

}  // namespace

std::unique_ptr<Solver> make_paging_alone() {
  return std::make_unique<PagingAlone>();
}

std::unique_ptr<Solver> make_rematerialisation_alone() {
  return std::make_unique<RematerialisationAlone>();
}

std::unique_ptr<Solver> make_checkmate() {
  return std::make_unique<Checkmate>();
}

}  // namespace poet
