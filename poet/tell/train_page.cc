#include "poet/tell/train_page.h"

#include <fmt/core.h>

#include "poet/base/message_text.h"
#include "poet/report/figure_text.h"
#include "poet/report/training_page.h"
#include "poet/tell/train_text.h"

namespace poet {
namespace {

std::string difference(double predicted, double measured) {
  if (!(predicted > 0)) return "";
  return fmt::format("{:+.1f} %", 100 * (measured / predicted - 1));
}

std::string per_step(std::int64_t bytes, std::int64_t steps) {
  return steps > 0 ? bytes_text(bytes / steps) : "";
}

// Of what brings examples, in a step.
double sum_of(const TrainReport& report, double ComparedWork::*seconds) {
  double sum_s = 0;
  for (const ComparedWork& work : report.works)
    if (work.work == ActionWork::Input) sum_s += work.*seconds;
  return sum_s;
}

std::vector<TrainingFact> compared_facts(const TrainReport& report) {
  return {
      {"time per step", time_figure(report.predicted_step_s), time_figure(report.step_s),
       difference(report.predicted_step_s, report.step_s) + ", the median"},
      {"of it, what the processor worked", "",
       report.step_work_s > 0 ? time_figure(report.step_work_s) : "", "other programs left out"},
      {"of it, reading examples", time_figure(sum_of(report, &ComparedWork::predicted_s)),
       time_figure(sum_of(report, &ComparedWork::measured_s)),
       "made or read by code that no profile of a network knows"},
      {"most RAM in use", bytes_text(report.predicted_peak_bytes), bytes_text(report.arena_bytes),
       "measured: the arena, of a budget of " + bytes_text(report.ram_budget_bytes)},
      {"read from storage in a step", bytes_text(report.predicted_in_bytes),
       per_step(report.paged_in_bytes, report.steps), "without examples"},
      {"written to storage in a step", bytes_text(report.predicted_out_bytes),
       per_step(report.paged_out_bytes, report.steps), ""},
      {"energy of all steps", energy_figure(report.energy_j), "", "by the plan"},
      {"resident memory of the process", "", bytes_text(report.peak_rss_bytes),
       "beside the arena the process may need " + bytes_text(report.fixed_overhead_bytes)},
  };
}

std::vector<TrainingRow> compared_rows(const TrainReport& report) {
  std::vector<TrainingRow> rows;
  for (const ComparedWork& work : report.works)
    rows.push_back({.form = work.form,
                    .work = std::string(name_of(kActionWorks, work.work)),
                    .name = work.name,
                    .times = work.times,
                    .predicted_s = work.predicted_s,
                    .measured_s = work.measured_s,
                    .worked_s = work.worked_s,
                    .waited_s = work.waited_s,
                    .moved_bytes = work.moved_bytes,
                    .planned_ram_bytes = work.planned_ram_bytes,
                    .arena_ram_bytes = work.arena_ram_bytes});
  return rows;
}

std::vector<Card> cards_of_training(const TrainReport& report) {
  std::vector<Card> cards;
  if (report.score)
    cards.push_back({"on the test data",
                     report.score->accuracy ? percent_figure(*report.score->accuracy)
                                            : short_number(report.score->loss, 4),
                     score_text(*report.score)});
  else if (!report.losses.empty())
    cards.push_back(
        {"loss of the last step", short_number(static_cast<double>(report.losses.back()), 4),
         fmt::format("{} at step {}", short_number(static_cast<double>(report.losses.front()), 4),
                     report.first_step)});
  cards.push_back(
      {"RAM budget", size_figure(report.ram_budget_bytes),
       fmt::format("keeping everything takes {}", size_figure(report.plain_peak_bytes))});
  cards.push_back({"time of a step", time_figure(report.step_s),
                   fmt::format("predicted {}", time_figure(report.predicted_step_s))});
  cards.push_back({"energy", energy_figure(report.energy_j), "of all steps, by the plan"});
  return cards;
}

std::vector<Fact> facts_of_training(const TrainReport& report) {
  std::vector<Fact> facts = {
      {"steps", fmt::format("{} to {}", report.first_step, report.first_step + report.steps - 1)},
      {"keeping everything takes", bytes_text(report.plain_peak_bytes)},
      {"storage", bytes_text(report.storage_bytes)}};
  if (!report.planned_with.empty()) facts.push_back({"planned with", report.planned_with});
  facts.push_back({"SHA-256 of the parameters", report.parameters_sha256});
  return facts;
}

}  // namespace

std::string train_page(const TrainRequest& request, const TrainReport& report) {
  TrainingPage page{.model = request.plan.model,
                    .platform = request.plan.platform,
                    .command = request.plan.command,
                    .title = fmt::format("{} after {}", report.stopped ? "Stopped" : "Trained",
                                         counted(report.steps, "step")),
                    .story = report.story,
                    .notes = report.notes,
                    .cards = cards_of_training(report)};
  if (report.split)
    page.notes.push_back(fmt::format("micro-batches: {}, because {}", report.split->micro_batches,
                                     report.split->why));
  for (const ReplanLine& line : report.replanning)
    page.notes.push_back("planned again: " + replan_text(line));
  page.curve = {.first_step = report.first_step, .losses = report.losses, .tested = report.tested};
  page.arenas = report.arenas;
  page.sections = {measured_facts_section(compared_facts(report)),
                   measured_work_section(compared_rows(report))};
  page.facts = facts_of_training(report);
  return training_page(page);
}

}  // namespace poet
