#include "poet/tell/train_text.h"

#include <fmt/core.h>

#include <cmath>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/report/figure_text.h"
#include "poet/tell/step_words.h"

namespace poet {
namespace {

std::string time_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", 1000 * seconds) : fmt::format("{:.3g} s", seconds);
}

// As people say how long they will wait: "45 s", "3 min 20 s", "2 h 5 min".
std::string remaining_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string row(const char* what, const std::string& value) {
  return fmt::format("  {:<16} {}\n", what, value);
}

std::string split_line(const SplitChoice& split) {
  return fmt::format("{}: {}", split.micro_batches, split.why);
}

// "3, for 2 + 1 + 1 micro-batches; adding up what they have takes 3.1 ms of a step".
std::string ranks_line(const TrainReport& report) {
  std::string counts;
  for (const RankReport& rank : report.ranks)
    counts += fmt::format("{}{}", counts.empty() ? "" : " + ", rank.micro_batches);
  return fmt::format("{}, for {} micro-batches; adding up what they have takes {} of a step",
                     report.ranks.size(), counts, time_text(report.exchange_s));
}

JsonOut ranks_to_json(const std::vector<RankReport>& ranks) {
  JsonOut list = JsonOut::array();
  for (const RankReport& rank : ranks)
    list.push_back({{"micro_batches", rank.micro_batches},
                    {"micro_batch_s", rank.micro_batch_s},
                    {"ram_budget_bytes", rank.ram_budget_bytes},
                    {"plain_peak_bytes", rank.plain_peak_bytes}});
  return list;
}

JsonOut works_to_json(const std::vector<ComparedWork>& works) {
  JsonOut list = JsonOut::array();
  for (const ComparedWork& work : works)
    list.push_back({{"form", work.form},
                    {"work", std::string(name_of(kActionWorks, work.work))},
                    {"name", work.name},
                    {"times", work.times},
                    {"predicted_s", work.predicted_s},
                    {"measured_s", work.measured_s},
                    {"worked_s", work.worked_s},
                    {"waited_s", work.waited_s},
                    {"moved_bytes", work.moved_bytes},
                    {"planned_ram_bytes", work.planned_ram_bytes},
                    {"arena_ram_bytes", work.arena_ram_bytes}});
  return list;
}

// The sign of what is no number says nothing.
std::string exact_loss(double loss) {
  return fmt::format("{:.6g}", std::isnan(loss) ? std::fabs(loss) : loss);
}

std::string losses_text(const TrainReport& report) {
  const std::string first =
      fmt::format("{} at step {}", exact_loss(report.losses.front()), report.first_step);
  if (report.losses.size() < 2) return first;
  return first + fmt::format(", {} at step {}", exact_loss(report.losses.back()),
                             report.first_step + report.steps - 1);
}

std::string headline(const TrainReport& report) {
  if (report.steps == 0)
    return report.stopped ? "Stopped before a step was taken" : "There was no step left to take";
  return fmt::format("{} after {} step{}", report.stopped ? "Stopped" : "Trained", report.steps,
                     report.steps == 1 ? "" : "s");
}

// "1,048,576 bytes (1 MiB)", or where there were several, each with the step from which it counted.
std::string budget_text(const TrainReport& report) {
  std::string text = bytes_text(report.ram_budget_bytes);
  if (!report.ranks.empty())
    return text + fmt::format(" of rank 0, which has a plain peak of its own, {} bytes",
                              grouped_digits(report.plain_peak_bytes));
  if (report.stretches.size() < 2) return text;
  text.clear();
  for (const BudgetStretch& stretch : report.stretches)
    text += fmt::format("{}{} from step {}", text.empty() ? "" : "; ",
                        bytes_text(stretch.ram_budget_bytes), stretch.first_step);
  return text;
}

JsonOut stretches_to_json(const std::vector<BudgetStretch>& stretches) {
  JsonOut list = JsonOut::array();
  for (const BudgetStretch& stretch : stretches)
    list.push_back({{"first_step", stretch.first_step},
                    {"steps", stretch.steps},
                    {"ram_budget_bytes", stretch.ram_budget_bytes},
                    {"arena_bytes", stretch.arena_bytes},
                    {"step_s", stretch.step_s},
                    {"beside_steps_s", stretch.beside_steps_s}});
  return list;
}

JsonOut replanning_to_json(const std::vector<ReplanLine>& lines) {
  JsonOut list = JsonOut::array();
  for (const ReplanLine& line : lines)
    list.push_back({{"step", line.step},
                    {"event", std::string(name_of(kReplanEvents, line.event))},
                    {"predicted_step_s", line.predicted_step_s},
                    {"measured_step_s", line.measured_step_s},
                    {"saving_s", line.saving_s},
                    {"cost_s", line.cost_s},
                    {"why", line.why}});
  return list;
}

const char* words_of(ReplanEvent event) {
  switch (event) {
    case ReplanEvent::Stays:
      return "stays with its plan";
    case ReplanEvent::Plans:
      return "plans again";
    case ReplanEvent::Changes:
      return "changes over";
    case ReplanEvent::Brought:
      return "what that brought";
    case ReplanEvent::Back:
      return "goes back to the plan before";
    case ReplanEvent::GoesOn:
      return "goes on";
  }
  return "";
}

}  // namespace

std::string score_text(const Score& score) {
  if (std::isnan(score.loss) && !score.not_finite) return "nothing that counts";
  std::string text = "loss " + loss_figure(score.loss);
  if (score.perplexity) text += fmt::format(", perplexity {:.2f}", *score.perplexity);
  if (score.error) text += fmt::format(", root mean square error {:.4g}", *score.error);
  if (score.accuracy) text += fmt::format(", accuracy {:.2f} %", 100 * *score.accuracy);
  text += fmt::format(" on {} examples", grouped_digits(score.examples));
  return score.not_finite ? text + "; " + not_finite_text(*score.not_finite) : text;
}

std::string not_finite_text(std::int64_t example) {
  return fmt::format("what the network makes of example {} (they count from 0) is not finite",
                     example);
}

JsonOut score_to_json(const Score& score) {
  return {{"loss", score.loss},
          {"accuracy", or_null(score.accuracy)},
          {"perplexity", or_null(score.perplexity)},
          {"error", or_null(score.error)},
          {"examples", score.examples},
          {"not_finite", or_null(score.not_finite)}};
}

std::string train_text(const TrainReport& report) {
  if (!report.no.empty()) return report.no + "\n";
  std::string text = headline(report) + "\n\n";
  if (report.is_no_better)
    text +=
        row("ended", report.best ? "early: evaluations were no better than that of the best step"
                                 : "early: no evaluation gave a loss that is a number");
  if (report.best)
    text += row("best step",
                fmt::format("{}, loss {}", report.best->step, loss_figure(report.best->loss)));
  if (!report.losses.empty()) text += row("loss", losses_text(report));
  if (report.score) text += row("evaluation", score_text(*report.score));
  if (report.split) text += row("micro-batches", split_line(*report.split));
  if (!report.ranks.empty()) text += row("ranks", ranks_line(report));
  text += row("time per step", fmt::format("{} (predicted {})", time_text(report.step_s),
                                           time_text(report.predicted_step_s)));
  text += row("energy", fmt::format("{:.4g} J by the plan", report.energy_j));
  if (!report.planned_with.empty()) text += row("planned with", report.planned_with);
  if (report.parts.cuts) text += row("parts", parts_text(report.parts));
  if (!report.updates.sliced.empty()) text += row("updates", updates_text(report.updates));
  for (const ReplanLine& line : report.replanning) text += row("planned again", replan_text(line));
  text += row("RAM budget", budget_text(report));
  text += row("arena", bytes_text(report.arena_bytes));
  for (const MemoryArena& arena : report.further_arenas)
    text += row(("arena in " + arena.name).c_str(), bytes_text(arena.size_bytes));
  text += row("peak", fmt::format("{} of the process, which may come to {}: the arena, and {} for "
                                  "itself",
                                  bytes_text(report.peak_rss_bytes),
                                  grouped_digits(report.arena_bytes + report.fixed_overhead_bytes),
                                  grouped_digits(report.fixed_overhead_bytes)));
  text += row("transfers", fmt::format("{} read, {} written", bytes_text(report.paged_in_bytes),
                                       bytes_text(report.paged_out_bytes)));
  text += row("parameters", "sha256 " + report.parameters_sha256);
  return text + "\n" + report.story + "\n";
}

JsonOut train_to_json(const TrainReport& report) {
  JsonOut out = {{"format", "poet-training"}, {"version", 1}};
  if (!report.no.empty()) {
    out["no"] = report.no;
    if (report.losses.empty()) return out;
    out["losses"] = report.losses;
    out["first_step"] = report.first_step;
    out["steps"] = report.steps;
    return out;
  }
  out["train"] = report.trained;
  out["losses"] = report.losses;
  out["parameters_sha256"] = report.parameters_sha256;
  out["first_step"] = report.first_step;
  out["steps"] = report.steps;
  out["stopped"] = report.stopped;
  out["evaluation"] = report.score ? score_to_json(*report.score) : JsonOut(nullptr);
  out["best"] = report.best ? JsonOut{{"step", report.best->step}, {"loss", report.best->loss}}
                            : JsonOut(nullptr);
  out["ended_early"] = report.is_no_better;
  out["micro_batches"] = report.micro_batches;
  out["split"] = report.split ? JsonOut{{"why", report.split->why},
                                        {"trials", trials_to_json(report.split->trials)}}
                              : JsonOut(nullptr);
  out["ranks"] = ranks_to_json(report.ranks);
  out["exchange_s"] = report.exchange_s;
  out["step_s"] = report.step_s;
  out["step_work_s"] = report.step_work_s;
  out["predicted_step_s"] = report.predicted_step_s;
  out["predicted_peak_bytes"] = report.predicted_peak_bytes;
  out["predicted_in_bytes"] = report.predicted_in_bytes;
  out["predicted_out_bytes"] = report.predicted_out_bytes;
  out["energy_j"] = report.energy_j;
  out["arena_bytes"] = report.arena_bytes;
  for (const MemoryArena& arena : report.further_arenas)
    out["further_arenas"].push_back({{"name", arena.name}, {"size_bytes", arena.size_bytes}});
  out["storage_bytes"] = report.storage_bytes;
  out["ram_budget_bytes"] = report.ram_budget_bytes;
  out["plain_peak_bytes"] = report.plain_peak_bytes;
  out["peak_rss_bytes"] = report.peak_rss_bytes;
  out["fixed_overhead_bytes"] = report.fixed_overhead_bytes;
  out["address_space_overhead_bytes"] = report.address_space_overhead_bytes;
  out["paged_in_bytes"] = report.paged_in_bytes;
  out["paged_out_bytes"] = report.paged_out_bytes;
  out["budgets"] = stretches_to_json(report.stretches);
  out["replanning"] = replanning_to_json(report.replanning);
  out["works"] = works_to_json(report.works);
  out["notes"] = report.notes;
  out["search_notes"] = report.search_notes;
  out["planned_with"] = report.planned_with;
  out["updates"] = updates_json(report.updates);
  out["parts"] = parts_json(report.parts);
  out["story"] = report.story;
  return out;
}

std::string log_line(const StepLine& line) {
  return json_line({{"step", line.step},
                    {"epoch", line.epoch},
                    {"loss", line.loss},
                    {"learning_rate", line.learning_rate},
                    {"step_s", line.step_s},
                    {"energy_j", line.energy_j}});
}

std::string log_line(const EvaluationLine& line) {
  JsonOut out = {{"step", line.step}};
  out["evaluation"] = score_to_json(line.score);
  return json_line(out);
}

std::string log_line(const MoveLine& line) {
  return json_line({{"step", line.step}, {"ram_budget_bytes", line.to_bytes}});
}

std::string log_line(const ReplanLine& line) {
  return json_line({{"step", line.step},
                    {"replanning", std::string(name_of(kReplanEvents, line.event))},
                    {"predicted_step_s", line.predicted_step_s},
                    {"measured_step_s", line.measured_step_s},
                    {"saving_s", line.saving_s},
                    {"cost_s", line.cost_s},
                    {"why", line.why}});
}

std::string replan_text(const ReplanLine& line) {
  return fmt::format("step {}: {}: {}", line.step, words_of(line.event), line.why);
}

std::string move_text(const MoveLine& line) {
  return fmt::format("step {}: from {} of RAM to {}", line.step, bytes_text(line.from_bytes),
                     bytes_text(line.to_bytes));
}

std::string progress_line(const StepLine& line) {
  std::string text =
      fmt::format("step {}/{}  epoch {:.2f}  loss {}  {}/step  {:.4g} J", line.step, line.steps,
                  line.epoch, loss_figure(line.loss), time_text(line.step_s), line.energy_j);
  // The budget is the arena's; the program itself comes on top of it.
  if (line.ram_budget_bytes > 0) text += "  budget " + size_figure(line.ram_budget_bytes);
  if (line.peak_bytes > 0) text += "  whole process " + size_figure(line.peak_bytes);
  if (line.step < line.steps) text += "  " + remaining_text(line.remaining_s) + " left";
  return text;
}

}  // namespace poet
