#include "poet/api/training_report.h"

#include <fmt/core.h>

#include "poet/api/train_text.h"
#include "poet/base/message_text.h"
#include "poet/report/figure_text.h"
#include "poet/report/training_page.h"

namespace poet {
namespace {

std::string exact_bytes(std::int64_t bytes) {
  return grouped_digits(bytes) + " bytes";
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
      {"RAM budget", exact_bytes(report.ram_budget_bytes)},
      {"arena", exact_bytes(report.arena_bytes)},
      {"keeping everything takes", exact_bytes(report.plain_peak_bytes)},
      {"highest resident memory", exact_bytes(report.peak_rss_bytes)},
      {"of that, fixed overhead", exact_bytes(report.fixed_overhead_bytes)},
      {"storage", exact_bytes(report.storage_bytes)},
      {"read from storage", exact_bytes(report.paged_in_bytes)},
      {"written to storage", exact_bytes(report.paged_out_bytes)},
      {"time of a step, median", fmt::format("{:.6g} s", report.step_s)},
      {"time of a step, predicted", fmt::format("{:.6g} s", report.predicted_step_s)}};
  if (!report.planned_with.empty()) facts.push_back({"planned with", report.planned_with});
  facts.push_back({"SHA-256 of the parameters", report.parameters_sha256});
  return facts;
}

}  // namespace

std::string training_report(const TrainRequest& request, const TrainReport& report) {
  TrainingPage page{.model = request.forms.plan.model,
                    .platform = request.forms.plan.platform,
                    .command = request.forms.plan.command,
                    .title = fmt::format("{} after {}", report.stopped ? "Stopped" : "Trained",
                                         counted(report.steps, "step")),
                    .story = report.story,
                    .notes = report.notes,
                    .cards = cards_of_training(report)};
  page.curve = {.first_step = report.first_step, .losses = report.losses, .tested = report.tested};
  page.arenas = report.arenas;
  page.facts = facts_of_training(report);
  return training_page(page);
}

}  // namespace poet
