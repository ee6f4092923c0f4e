#include "poet/api/train_page.h"

#include <fmt/core.h>

#include "poet/report/figure_text.h"
#include "poet/report/training_page.h"

namespace poet {
namespace {

std::string bytes_text(std::int64_t bytes) {
  return count_figure(bytes) + " bytes";
}

std::string difference(double predicted, double measured) {
  if (!(predicted > 0)) return "";
  return fmt::format("{:+.1f} %", 100 * (measured / predicted - 1));
}

std::string per_step(std::int64_t bytes, std::int64_t steps) {
  return steps > 0 ? bytes_text(bytes / steps) : "";
}

std::vector<TrainingFact> facts_of(const TrainReport& report) {
  return {
      {"time per step", time_figure(report.predicted_step_s), time_figure(report.step_s),
       difference(report.predicted_step_s, report.step_s) + ", the median"},
      {"of it, what the processor worked", "",
       report.step_work_s > 0 ? time_figure(report.step_work_s) : "", "other programs left out"},
      {"most RAM in use", bytes_text(report.predicted_peak_bytes), bytes_text(report.arena_bytes),
       "measured: the arena, of a budget of " + bytes_text(report.ram_budget_bytes)},
      {"read from storage in a step", bytes_text(report.predicted_in_bytes),
       per_step(report.paged_in_bytes, report.steps), "without examples"},
      {"written to storage in a step", bytes_text(report.predicted_out_bytes),
       per_step(report.paged_out_bytes, report.steps), ""},
      {"energy of all steps", energy_figure(report.energy_j), "", "by the plan"},
      {"resident memory of the process", "", bytes_text(report.peak_rss_bytes),
       "of which " + bytes_text(report.fixed_overhead_bytes) + " are fixed overhead"},
  };
}

}  // namespace

std::string train_page(const TrainRequest& request, const TrainReport& report) {
  TrainingPageInput page{.title = request.forms.plan.model,
                         .command = request.forms.plan.command,
                         .story = report.story,
                         .notes = report.notes,
                         .facts = facts_of(report),
                         .first_step = report.first_step,
                         .losses = report.losses};
  if (report.split)
    page.notes.push_back(fmt::format("micro-batches: {}, because {}", report.split->micro_batches,
                                     report.split->why));
  for (const ComparedWork& work : report.works)
    page.rows.push_back({.form = work.form,
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
  return training_page(page);
}

}  // namespace poet
