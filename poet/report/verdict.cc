#include "poet/report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "poet/report/figure_text.h"
#include "poet/solve/claimed_class.h"

namespace poet {
namespace {

// Below this part of the objective a difference is rounding, and no gap.
constexpr double kNoGapRatio = 1e-9;

bool energy_counts(const ReportInput& input) {
  return input.problem.objective == Objective::Energy;
}

double objective_of(const ReportInput& input) {
  return energy_counts(input) ? input.replay.energy_j : input.replay.time_s;
}

std::string objective_figure(const ReportInput& input, double value) {
  return energy_counts(input) ? energy_figure(value) : time_figure(value);
}

std::string best_sentence(const ReportInput& input, double gap) {
  const char* less = energy_counts(input) ? "uses less energy" : "takes less time";
  const std::string none = input.scope.empty()
                               ? "No schedule of the class"
                               : fmt::format("No schedule{} in the class", input.scope);
  const std::string of_class = claimed_class_text(input.problem, input.solve);
  if (gap <= kNoGapRatio) return fmt::format("{} {} ({}).", none, less, of_class);
  return fmt::format("{} {} ({}), but for a gap of {}, within the tolerance asked for.", none, less,
                     of_class, percent_figure(gap));
}

std::string found_sentence(const ReportInput& input) {
  const bool energy = energy_counts(input);
  std::string text =
      fmt::format("It {} {}; no schedule{} can {} less than {}.", energy ? "uses" : "takes",
                  objective_figure(input, objective_of(input)), input.scope,
                  energy ? "use" : "take", objective_figure(input, input.solve.lower_bound));
  if (const std::optional<double> part = overhead_gap_ratio(input); part && *part < 1)
    text += fmt::format(" What could still be saved is at most {} of the overhead.",
                        percent_figure(*part));
  return text;
}

std::string as_sentence(std::string text) {
  if (!text.empty() && 'a' <= text[0] && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

// "Proved" is what anybody can check; otherwise it says whose word it is.
bool can_be_checked(const SolveReport& solved) {
  return solved.evidence == Evidence::Arithmetic || solved.evidence == Evidence::Certificate;
}

std::string speaker_of(const SolveReport& solved) {
  return solved.backend.empty() ? "the search" : solved.backend;
}

std::string with_its_source(std::string sentence, const SolveReport& solved) {
  if (can_be_checked(solved)) return sentence;
  return sentence +
         fmt::format(" That is the word of {}: no certificate covers it.", speaker_of(solved));
}

Verdict best(const ReportInput& input, double gap) {
  const SolveReport& solved = input.solve;
  return {Verdict::Kind::Best,
          can_be_checked(solved) ? "Proved best" : "Best, by " + speaker_of(solved),
          with_its_source(best_sentence(input, gap), solved)};
}

Verdict refused(const ReportInput& input) {
  const SolveReport& solved = input.solve;
  const std::string reason = solved.infeasibility ? as_sentence(solved.infeasibility->reason)
                                                  : "The limits contradict each other";
  return {Verdict::Kind::No, "No schedule fits",
          with_its_source(fmt::format("{}. This speaks of schedules of the class: {}.", reason,
                                      claimed_class_text(input.problem, solved)),
                          solved)};
}

Verdict with_schedule(const ReportInput& input) {
  const std::optional<double> gap = gap_ratio(input);
  if (input.solve.status == SolveStatus::Optimal) return best(input, gap.value_or(0));
  if (!gap)
    return {Verdict::Kind::Found, "A valid schedule",
            "How far it is from the best is not known: there is no bound to compare it with."};
  return {Verdict::Kind::Found, "Best found, within " + percent_figure(*gap),
          found_sentence(input)};
}

// A plan is good news only where its device can hold it.
Verdict held_against_device(Verdict verdict, const ReportInput& input) {
  const std::int64_t peak_bytes = input.replay.peak_ram_bytes;
  if (!input.device || peak_bytes <= input.device->ram_bytes) return verdict;
  return {Verdict::Kind::Beyond,
          fmt::format("{}, but {} cannot hold it", verdict.title, input.device->name),
          fmt::format("It takes {} of RAM, and {} has {}. {}", size_figure(peak_bytes),
                      input.device->name, size_figure(input.device->ram_bytes), verdict.sentence)};
}

Verdict broken(const ReportInput& input) {
  return {Verdict::Kind::Broken, "Not a valid schedule",
          fmt::format("Replayed action by action, it breaks {}.",
                      counted(std::ssize(input.replay.findings), "rule"))};
}

}  // namespace

std::optional<double> gap_ratio(const ReportInput& input) {
  const double objective = objective_of(input);
  const double bound = input.solve.lower_bound;
  if (!input.schedule || !std::isfinite(bound) || bound <= 0) return std::nullopt;
  const double gap = objective > 0 ? (objective - bound) / objective : 0.0;
  return gap > kNoGapRatio ? gap : 0.0;
}

std::optional<double> overhead_gap_ratio(const ReportInput& input) {
  if (!energy_counts(input) || !gap_ratio(input)) return std::nullopt;
  const double energy_j = input.replay.energy_j;
  const double open_j = energy_j - input.solve.lower_bound;
  if (open_j <= kNoGapRatio * energy_j) return 0.0;
  const double overhead_j = energy_j - input.unavoidable_j;
  if (overhead_j <= 0) return std::nullopt;
  return open_j / overhead_j;
}

Verdict verdict_of(const ReportInput& input) {
  if (input.schedule && !input.replay.valid()) return broken(input);
  if (input.schedule) return held_against_device(with_schedule(input), input);
  if (input.solve.status == SolveStatus::Infeasible) return refused(input);
  return {Verdict::Kind::Unknown, "No answer within the limits",
          "The search stopped before it found a schedule or proved that there is none."};
}

}  // namespace poet
