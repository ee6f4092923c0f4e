#include "poet/use/worth.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "poet/ask/make_plan.h"
#include "poet/ask/minimum.h"
#include "poet/ask/published_beginning.h"
#include "poet/autodiff/parameter_choice.h"
#include "poet/base/message_text.h"
#include "poet/graph/tensor_type.h"
#include "poet/use/measured_gains.h"

namespace poet {
namespace {

// The searches of one request. What was planned is not planned again, by whatever words.
class Searches {
 public:
  Searches(const Question& question, const Model& model, const WorthRequest& request,
           const Stop& stop, const WorthProgress& progress)
      : question_(question), model_(model), request_(request), stop_(stop), progress_(progress) {}

  void know_of(std::int64_t searches) { known_ += searches; }

  Result<const WorthRow*> planned(const std::string& train) {
    Result<std::vector<bool>> trained = trained_parameters(model_, train);
    if (!trained.ok()) return trained.error();
    if (const auto row = rows_.find(*trained); row != rows_.end()) return &row->second;
    if (stop_.requested_outside()) return ended_before(*std::move(trained));
    const Result<PlanReport> report = make_plan(question_of(train), begin_search(train), {});
    if (!report.ok()) return report.error();
    ended_by_clock_ = ended_by_clock_ || report->timing.ended_by_clock;
    return &rows_.emplace(*std::move(trained), row_of(*report)).first->second;
  }

  Failure look_for_least(WorthRow& row) {
    row.least_bytes = row.peak_ram_bytes;
    if (stop_.requested_outside()) {
      ended_by_clock_ = true;
      return std::nullopt;
    }
    Question question = question_of(row.choice.train);
    question.ram_budget.reset();
    question.solve.gap_ratio = 0;  // as 'poet minimum' asks
    const Result<MinimumReport> least = find_minimum(question, begin_search(row.choice.train), {});
    if (!least.ok()) return least.error();
    ended_by_clock_ = ended_by_clock_ || least->timing.ended_by_clock;
    row.proved_bytes = least->proved_bytes;
    // A search that ended early knows of larger steps alone: the plan's own may do with less.
    if (least->found_bytes && (!row.least_bytes || *least->found_bytes <= *row.least_bytes))
      row.least_bytes = least->found_bytes;
    if (row.least_bytes && *row.least_bytes < row.proved_bytes) row.proved_bytes = 0;
    return std::nullopt;
  }

  bool ended_by_clock() const { return ended_by_clock_; }

 private:
  Question question_of(const std::string& train) const {
    Question question = question_;
    question.training.train = train;
    return question;
  }

  Stop begin_search(const std::string& train) {
    if (progress_) progress_(done_, std::max(known_, done_ + 1), train);
    ++done_;
    return with_own_limit(stop_, request_.limit_s);
  }

  Result<const WorthRow*> ended_before(std::vector<bool> trained) {
    ended_by_clock_ = true;
    const WorthRow row{.why_not = "the search was ended before this was planned"};
    return &rows_.emplace(std::move(trained), row).first->second;
  }

  WorthRow row_of(const PlanReport& report) const {
    WorthRow row{.status = report.solve.status};
    if (!report.plan) {
      row.why_not = report.solve.infeasibility ? report.solve.infeasibility->reason
                                               : "no plan was found in the time of a search";
      return row;
    }
    row.energy_j = report.replay.energy_j;
    row.time_s = report.replay.time_s;
    row.peak_ram_bytes = report.replay.peak_ram_bytes;
    row.fits = !request_.energy_budget_j || *row.energy_j <= *request_.energy_budget_j;
    if (!row.fits) row.why_not = "the plan takes more energy";
    return row;
  }

  const Question& question_;
  const Model& model_;
  const WorthRequest& request_;
  const Stop& stop_;
  const WorthProgress& progress_;
  std::map<std::vector<bool>, WorthRow> rows_ = {};
  std::int64_t known_ = 0;
  std::int64_t done_ = 0;
  bool ended_by_clock_ = false;
};

// The greedy choice, as one more of those that are there, or as a way of one of them.
Failure add_greedy(const Model& model, const WorthRequest& request, const TrainingGains& gains,
                   Searches& searches, std::vector<TrainingChoice>& choices) {
  const FitsLimits fits = [&searches](const std::string& train) -> Result<bool> {
    const Result<const WorthRow*> row = searches.planned(train);
    if (!row.ok()) return row.error();
    return (*row)->fits;
  };
  Result<std::optional<TrainingChoice>> greedy =
      greedy_choice(model, gains, request.most_tries, fits);
  if (!greedy.ok()) return greedy.error();
  if (!*greedy) return std::nullopt;
  const Result<std::vector<bool>> trained = trained_parameters(model, (*greedy)->train);
  const auto same = std::find_if(choices.begin(), choices.end(), [&](const TrainingChoice& choice) {
    return *trained_parameters(model, choice.train) == *trained;
  });
  if (same != choices.end())
    same->ways.push_back(kGreedyLayers);
  else
    choices.push_back(*std::move(*greedy));
  return std::nullopt;
}

Failure plan_rows(const std::vector<TrainingChoice>& choices, Searches& searches,
                  WorthReport& report) {
  for (const TrainingChoice& choice : choices) {
    const Result<const WorthRow*> planned = searches.planned(choice.train);
    if (!planned.ok()) return planned.error();
    WorthRow row = **planned;
    row.choice = choice;
    if (Failure failure = searches.look_for_least(row)) return failure;
    report.rows.push_back(std::move(row));
  }
  std::stable_sort(
      report.rows.begin(), report.rows.end(),
      [](const WorthRow& a, const WorthRow& b) { return is_worth_more(a.choice, b.choice); });
  const auto best = std::find_if(report.rows.begin(), report.rows.end(),
                                 [](const WorthRow& row) { return row.fits; });
  if (best != report.rows.end()) report.best = static_cast<std::size_t>(best - report.rows.begin());
  return std::nullopt;
}

}  // namespace

double gain_of_all(const WorthReport& report) {
  double sum = report.adapters.gain;
  for (const LayerGain& layer : report.layers) sum += layer.gain;
  return sum;
}

Failure check_choosable(const PlanRequest& request) {
  if (request.ram_budget && !std::holds_alternative<RamBytes>(*request.ram_budget))
    return bad_input(
        "--ram-budget must be in bytes here, such as 256KiB: a part of what keeping everything "
        "takes is another budget for every choice of what is trained");
  if (request.deadline && !std::holds_alternative<DeadlineSeconds>(*request.deadline))
    return bad_input(
        "--runtime-budget must be a time here, such as 200ms: a part of the time of computing is "
        "another for every choice of what is trained");
  return std::nullopt;
}

Result<TrainingGains> gains_of(const TrainRequest& request, const Model& model, const Stop& stop,
                               const GainsProgress& progress) {
  if (request.gains.path) return read_gains(*request.gains.path, model.graph);
  return measured_gains(request, request.gains.batches, stop, progress);
}

Result<WorthReport> worth_training(const WorthRequest& request, const Stop& stop,
                                   const WorthProgress& progress, const GainsProgress& of_gains) {
  const PlanRequest& plan = request.training.plan;
  if (Failure failure = check_choosable(plan)) return *failure;
  Result<Question> question = read_question(plan);
  if (!question.ok()) return question.error();
  if (request.energy_budget_j && question->objective != Objective::Energy)
    return bad_input("--energy-budget is for plans of the least energy: leave out --objective");
  const Result<Model> model = model_of(*question);
  if (!model.ok()) return model.error();
  const Result<std::vector<std::string>> looked = check_beginning(
      *question, request.training.allows_non_finite ? NonFinite::Taken : NonFinite::Refused);
  if (!looked.ok()) return looked.error();
  Result<TrainingGains> gains = gains_of(request.training, *model, stop, of_gains);
  if (!gains.ok()) return gains.error();

  WorthReport report{.question = *std::move(question),
                     .gains = *std::move(gains),
                     .energy_budget_j = request.energy_budget_j};
  report.layers = layer_gains(*model, report.gains);
  report.adapters = adapters_choice(*model, report.gains);
  report.trainable_values = report.adapters.values;
  for (const LayerGain& layer : report.layers) report.trainable_values += layer.values;
  report.ram_budget_bytes = plan.ram_budget ? std::get<RamBytes>(*plan.ram_budget).bytes
                                            : report.question.device->ram_bytes;
  std::vector<TrainingChoice> choices =
      training_choices(*model, report.gains, request.most_of_a_way);
  Searches searches(report.question, *model, request, stop, progress);
  searches.know_of(2 * std::ssize(choices));
  if (Failure failure = add_greedy(*model, request, report.gains, searches, choices))
    return *failure;
  if (Failure failure = plan_rows(choices, searches, report)) return *failure;
  report.ended_by_clock = searches.ended_by_clock();
  if (report.ended_by_clock)
    report.warnings.push_back(
        stop.token.stop_requested()
            ? "stopped on request, before all searches were complete, so the next answer may be "
              "another"
            : "some searches ended by the clock, so the next answer may be another; a longer "
              "--time-limit-s proves more");
  return report;
}

}  // namespace poet
