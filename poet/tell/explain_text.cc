#include "poet/tell/explain_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "poet/ask/status_name.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/problem/facts.h"
#include "poet/problem/schedule_class.h"
#include "poet/problem/uncertainty.h"
#include "poet/report/figure_text.h"
#include "poet/tell/evidence_words.h"
#include "poet/tell/summary_text.h"

namespace poet {
namespace {

constexpr std::size_t kMostHolders = 4;
constexpr std::size_t kMostOperations = 6;

std::string amount(const Problem& problem, double value) {
  return problem.objective == Objective::Time ? time_figure(value) : energy_figure(value);
}

// "56.5 µJ (9.3 % of the overhead)"; the share is left out where there is no overhead.
std::string with_share(const Problem& problem, double value, double overhead) {
  const std::string text = amount(problem, value);
  if (overhead <= 0) return text;
  return fmt::format("{} ({} of the overhead)", text, percent_figure(value / overhead));
}

const std::string& name_of(const Problem& problem, TensorId tensor) {
  return at(problem.tensors, tensor).name;
}
const std::string& name_of(const Problem& problem, OperationId operation) {
  return at(problem.operations, operation).name;
}

// "a, b and 3 more".
template <typename Id, typename Text>
std::string listed(const std::vector<Id>& ids, std::size_t most, Text text) {
  std::string out;
  const std::size_t shown = std::min(ids.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == ids.size() ? " and " : ", ";
    out += text(ids[i]);
  }
  if (shown < ids.size()) out += fmt::format(" and {} more", ids.size() - shown);
  return out;
}

std::string stages(const Absence& absence) {
  if (absence.left_stage == absence.back_stage)
    return fmt::format("in stage {}", absence.left_stage);
  return fmt::format("in stages {} to {}", absence.left_stage, absence.back_stage);
}

std::string what_happens(const Problem& problem, const ExplainedAbsence& one, double overhead) {
  const Tensor& tensor = at(problem.tensors, one.absence.tensor);
  std::string text = fmt::format("{} ({}) is absent {}, and ", tensor.name,
                                 bytes_text(tensor.size_bytes), stages(one.absence));
  if (one.absence.way == Absence::Return::Recomputed)
    return text + fmt::format("computed again for {}.", with_share(problem, one.cost, overhead));
  text += fmt::format("read again for {}", with_share(problem, one.cost, overhead));
  if (tensor.home == Home::Made)
    text +=
        fmt::format(", after it was written for {}", with_share(problem, one.copy_cost, overhead));
  return text + ".";
}

std::string why(const Problem& problem, const ExplainedAbsence& one) {
  if (!one.tightest) return "Nothing runs in the meantime: it could stay.";
  const TightMoment& moment = *one.tightest;
  std::string text =
      fmt::format("While '{}' runs, {} of {} are in use", name_of(problem, moment.operation),
                  count_figure(moment.used_bytes), bytes_text(problem.ram_budget_bytes));
  text += one.missing_bytes > 0
              ? fmt::format(": {} too few for it to stay.", bytes_text(one.missing_bytes))
              : ", the most in that time: it could stay.";
  const std::string held = listed(moment.holders, kMostHolders, [&problem](TensorId tensor) {
    return fmt::format("{} ({})", name_of(problem, tensor),
                       count_figure(at(problem.tensors, tensor).size_bytes));
  });
  if (!held.empty()) text += fmt::format(" In RAM then: {}", held);
  if (!held.empty() && moment.workspace_bytes > 0)
    text += fmt::format(", besides {} of workspace", bytes_text(moment.workspace_bytes));
  return text + (held.empty() ? "" : ".");
}

std::string recomputing(const Problem& problem, const ExplainedAbsence& one, double overhead) {
  if (!problem.rematerialisation_allowed) return "";
  if (!one.recomputing) return "it cannot be computed again";
  const std::string operations =
      listed(one.recomputing->operations, kMostOperations,
             [&problem](OperationId operation) { return name_of(problem, operation); });
  return fmt::format("computing it again from what is in RAM then ({}) would cost {}", operations,
                     with_share(problem, one.recomputing->cost, overhead));
}

std::string instead(const Problem& problem, const ExplainedAbsence& one, double overhead) {
  std::vector<std::string> ways;
  if (one.keeping)
    ways.push_back(fmt::format("the RAM to keep it is worth about {}",
                               with_share(problem, *one.keeping, overhead)));
  if (one.absence.way == Absence::Return::Read) {
    if (std::string way = recomputing(problem, one, overhead); !way.empty())
      ways.push_back(std::move(way));
  } else if (one.paging) {
    ways.push_back(fmt::format("writing and reading it would cost {}",
                               with_share(problem, *one.paging, overhead)));
  }
  std::string text;
  for (const std::string& way : ways)
    text += (text.empty() ? "Instead, with all else as it is: " : "; ") + way;
  return text.empty() ? text : text + ".";
}

// Of a network there are other steps, in other parts or by other slices, of which nothing is said
// here; a costed graph is all that there is.
std::string within(const PlanOrigin& origin) {
  if (origin.part_bytes) return " in these parts";
  return origin.graph == "real" ? " in this step" : "";
}

std::string headline(const Explanation& explanation) {
  const Problem& problem = explanation.check.plan.problem;
  const Replay& replay = explanation.check.replay;
  const bool time = problem.objective == Objective::Time;
  return fmt::format(
      "{} {}, of which {} is overhead: what the limits cost{}\n", time ? "time" : "energy",
      amount(problem, time ? replay.time_s : replay.energy_j),
      amount(problem, std::max(0.0, explanation.overhead)), within(explanation.check.plan.origin));
}

std::string more_ram(const Explanation& explanation) {
  return "another " + bytes_text(explanation.more_ram_bytes) + " of RAM";
}
std::string more_time(const Explanation& explanation) {
  const double deadline_s = *asked_deadline_s(explanation.check.plan.problem);
  return fmt::format("{} more time ({})", percent_figure(explanation.more_time_s / deadline_s),
                     time_figure(explanation.more_time_s));
}

// Said where a saving may come from the search alone.
std::string doubt(const Explanation& explanation) {
  const auto saved = [](const std::optional<MoreOfIt>& more) {
    return more && more->found.value_or(0) > 0;
  };
  const bool is_best = explanation.check.plan.proof.status == status_name(SolveStatus::Optimal);
  if (is_best || (!saved(explanation.more_ram) && !saved(explanation.more_time) &&
                  !saved(explanation.certainty)))
    return "";
  return "The plan is not proved best: planning again without more may save as well.\n";
}

// Who says what can be saved at most.
std::string whose_word(const MoreOfIt& more) {
  return "; that is " + evidence_words(more.evidence, more.backend) + "\n";
}

// A search that is complete may have ended within its gap of the best, which is not the best. Two
// figures that read alike are not told to differ.
std::string rest_words(const Problem& problem, const MoreOfIt& more) {
  if (more.status == SolveStatus::Optimal && more.saves_at_most <= *more.found)
    return ", and no more can be saved";
  return amount(problem, more.saves_at_most) == amount(problem, *more.found)
             ? ", and no more can be saved that these figures would show"
             : ", and more may be possible";
}

JsonOut absence_to_json(const Problem& problem, const ExplainedAbsence& one) {
  const bool read = one.absence.way == Absence::Return::Read;
  JsonOut out = {{"tensor", name_of(problem, one.absence.tensor)},
                 {"size_bytes", at(problem.tensors, one.absence.tensor).size_bytes},
                 {"way", read ? "read" : "recomputed"},
                 {"left_action", one.absence.left_action},
                 {"back_action", one.absence.back_action},
                 {"left_stage", one.absence.left_stage},
                 {"back_stage", one.absence.back_stage},
                 {"cost", one.cost}};
  out["copy_cost"] = read ? JsonOut(one.copy_cost) : JsonOut(nullptr);
  out["keeping"] = one.keeping ? JsonOut(*one.keeping) : JsonOut(nullptr);
  out["paging"] = one.paging ? JsonOut(*one.paging) : JsonOut(nullptr);
  out["recomputing"] = nullptr;
  if (one.recomputing) {
    JsonOut operations = JsonOut::array();
    for (const OperationId operation : one.recomputing->operations)
      operations.push_back(name_of(problem, operation));
    out["recomputing"] = {{"cost", one.recomputing->cost}, {"operations", std::move(operations)}};
  }
  out["tightest"] = nullptr;
  if (!one.tightest) return out;
  JsonOut holders = JsonOut::array();
  for (const TensorId tensor : one.tightest->holders) holders.push_back(name_of(problem, tensor));
  out["tightest"] = {{"operation", name_of(problem, one.tightest->operation)},
                     {"used_bytes", one.tightest->used_bytes},
                     {"workspace_bytes", one.tightest->workspace_bytes},
                     {"missing_bytes", one.missing_bytes},
                     {"holders", std::move(holders)}};
  return out;
}

JsonOut more_to_json(const std::optional<MoreOfIt>& more) {
  if (!more) return nullptr;
  return {{"saves_at_most", more->saves_at_most},
          {"found", more->found ? JsonOut(*more->found) : JsonOut(nullptr)},
          {"status", status_name(more->status)},
          {"evidence", name_of(kEvidenceNames, more->evidence)},
          {"backend", more->backend}};
}

}  // namespace

std::string absence_text(const Problem& problem, const ExplainedAbsence& one, double overhead) {
  std::string text = what_happens(problem, one, overhead) + "\n  " + why(problem, one) + "\n";
  const std::string other = instead(problem, one, overhead);
  return other.empty() ? text : text + "  " + other + "\n";
}

std::string more_text(const Plan& plan, const MoreOfIt& more, const std::string& what,
                      double overhead) {
  const Problem& problem = plan.problem;
  std::string text = fmt::format("{} can save at most {}{}", what,
                                 with_share(problem, std::max(0.0, more.saves_at_most), overhead),
                                 within(plan.origin));
  if (!more.found) return text + whose_word(more);
  text += fmt::format("; planned again, {} is saved",
                      *more.found > 0 ? with_share(problem, *more.found, overhead) : "nothing");
  return text + rest_words(problem, more) + whose_word(more);
}

// What robustness costs: the worst case keeps this deadline, and without it a plan would be so much
// cheaper.
std::string robustness_text(const Explanation& explanation) {
  const Problem& problem = explanation.check.plan.problem;
  const MoreOfIt& saved = *explanation.certainty;
  std::string text =
      fmt::format("Keeping to {} where {} costs at most {}{}",
                  time_figure(*asked_deadline_s(problem)), uncertainty_words(*problem.uncertainty),
                  with_share(problem, std::max(0.0, saved.saves_at_most), explanation.overhead),
                  within(explanation.check.plan.origin));
  if (!saved.found) return text + whose_word(saved);
  return text + fmt::format("; planned as if figures were certain, {} is saved{}{}",
                            *saved.found > 0
                                ? with_share(problem, *saved.found, explanation.overhead)
                                : "nothing",
                            rest_words(problem, saved), whose_word(saved));
}

std::string explanation_text(const Explanation& explanation) {
  const Plan& plan = explanation.check.plan;
  std::string text = question_text(plan.origin, plan.problem) + "\n" + headline(explanation) + "\n";
  if (explanation.absences.empty() && explanation.never_absent.empty())
    text += "Nothing of it is absent: it is neither recomputed nor paged.\n\n";
  for (const ExplainedAbsence& one : explanation.absences)
    text += absence_text(plan.problem, one, explanation.overhead) + "\n";
  for (const std::string& name : explanation.never_absent)
    text += fmt::format("{} is never absent while something needs it.\n\n", name);
  if (explanation.more_ram)
    text += more_text(plan, *explanation.more_ram, more_ram(explanation), explanation.overhead);
  if (explanation.more_time)
    text += more_text(plan, *explanation.more_time, more_time(explanation), explanation.overhead);
  if (explanation.certainty) text += robustness_text(explanation);
  if (const std::string of = within(plan.origin); !of.empty())
    text += fmt::format(
        "\nWhat is said here of savings is said of schedules{}: cut or updated otherwise, as 'poet "
        "solve' may do with more, a step may take less.\n",
        of);
  text += fmt::format("\n'optimal' is said of this class of schedules: {}\n",
                      schedule_class_text(plan.problem));
  return text + doubt(explanation);
}

JsonOut explanation_to_json(const Explanation& explanation) {
  const Problem& problem = explanation.check.plan.problem;
  const bool time = problem.objective == Objective::Time;
  const Replay& replay = explanation.check.replay;
  JsonOut out = {{"format", "poet-explanation"}, {"version", 1}};
  out["model"] = explanation.check.plan.origin.model;
  out["platform"] = explanation.check.plan.origin.platform;
  out["unit"] = time ? "s" : "J";
  out["objective"] = time ? replay.time_s : replay.energy_j;
  out["overhead"] = explanation.overhead;
  const PlanOrigin& origin = explanation.check.plan.origin;
  out["said_of"] = origin.part_bytes ? "parts" : origin.graph == "real" ? "step" : "graph";
  JsonOut& absences = out["absences"] = JsonOut::array();
  for (const ExplainedAbsence& one : explanation.absences)
    absences.push_back(absence_to_json(problem, one));
  out["never_absent"] = explanation.never_absent;
  out["bound"] = explanation.values ? JsonOut(explanation.values->bound) : JsonOut(nullptr);
  out["per_byte"] = explanation.values ? JsonOut(explanation.values->per_byte) : JsonOut(nullptr);
  out["per_second"] =
      explanation.values ? JsonOut(explanation.values->per_second) : JsonOut(nullptr);
  out["more_ram_bytes"] = explanation.more_ram_bytes;
  out["more_ram"] = more_to_json(explanation.more_ram);
  out["more_time_s"] = problem.deadline_s ? JsonOut(explanation.more_time_s) : JsonOut(nullptr);
  out["more_time"] = more_to_json(explanation.more_time);
  out["certainty"] = more_to_json(explanation.certainty);
  out["warnings"] = explanation.warnings;
  return out;
}

}  // namespace poet
