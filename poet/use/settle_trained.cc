#include "poet/use/settle_trained.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/forms/plan_forms.h"
#include "poet/problem/problem_json.h"
#include "poet/train/checkpoint.h"
#include "poet/use/forms_request.h"
#include "poet/use/measured_gains.h"
#include "poet/use/training_choices.h"
#include "poet/use/training_settings.h"
#include "poet/use/worth.h"

namespace poet {
namespace {

constexpr double kTry_s = 5;             // to plan one choice
constexpr std::int64_t kMostTries = 24;  // of the greedy walk
constexpr std::int64_t kMostOfAWay = 6;  // choices
constexpr int kChoiceGeneration = 1;     // counted up whenever something else is chosen
constexpr std::size_t kOpeningBytes = 64 << 10;

Failure check_request(const TrainRequest& request) {
  if (request.plan.adapters || request.plan.adapters_path)
    return bad_input(
        "--train auto chooses among the layers of the network, and adapters are beside them; say "
        "what is trained too, such as what 'poet worth' says is worth it");
  if (Failure failure = check_choosable(request.plan)) return failure;
  if (!request.plan.ram_budget)
    return bad_input(
        "--train auto chooses by the RAM budget: give one, such as --ram-budget 256KiB");
  if (request.least_ram_budget && !std::holds_alternative<RamBytes>(*request.least_ram_budget))
    return bad_input("--ram-budget must be in bytes where --train is auto, such as 4GiB..256MiB");
  if (request.split == SplitBy::Cost)
    return bad_input(
        "--train auto and --micro-batches auto both choose by the RAM budget; say one of them");
  return std::nullopt;
}

// What the training that is gone on with trains; nothing where there is none, or it does not say.
Result<std::optional<std::string>> trained_before(const TrainRequest& request) {
  std::error_code ignored;
  if (!request.resume || !request.checkpoint_path ||
      !std::filesystem::exists(*request.checkpoint_path, ignored))
    return std::optional<std::string>();
  std::vector<std::byte> buffer(kOpeningBytes);
  const Result<Checkpoint> checkpoint = open_checkpoint(*request.checkpoint_path, buffer);
  if (!checkpoint.ok()) return checkpoint.error();
  for (const CheckpointSetting& setting : checkpoint->state.settings)
    if (setting.name == kTrainedPart) return std::optional(setting.value);
  return std::optional<std::string>();
}

TrainRequest that_trains(TrainRequest request, const std::string& train) {
  request.plan.training.train = train;
  return request;
}

// In the smallest budget that it may come to.
TrainRequest in_least_budget(TrainRequest request) {
  if (request.least_ram_budget) request.plan.ram_budget = *request.least_ram_budget;
  request.least_ram_budget.reset();
  return request;
}

// The problems of a step in which something is trained: what they take from device, costs and
// limits stands for what those of others do.
Result<std::string> problems_text(const TrainRequest& request, const Question& question) {
  const Result<Model> model = model_of(question);
  if (!model.ok()) return model.error();
  const std::vector<TrainingChoice> choices = training_choices(*model, {}, 1);
  if (choices.empty()) return std::string();
  const Result<FormsRequest> asked = forms_request(that_trains(request, choices.front().train));
  if (!asked.ok()) return asked.error();
  const Result<StepForms> forms = step_forms(*asked);
  if (!forms.ok()) return forms.error();
  std::string text;
  for (const StepGraph& form : forms->forms) text += problem_text(form.instance.problem);
  return text;
}

// What decides the numbers of a training, and so its gains. As if all was trained, whose values
// must be decoded for that.
Result<std::string> settings_text(const TrainRequest& request) {
  const TrainRequest all = that_trains(request, "all");
  const Result<FormsRequest> forms = forms_request(all);
  if (!forms.ok()) return forms.error();
  const Result<Model> model = base_model_of(forms->question);
  if (!model.ok()) return model.error();
  const Result<std::shared_ptr<const Dataset>> data = data_for_gains(all, forms->question, *model);
  if (!data.ok()) return data.error();
  const Result<std::vector<CheckpointSetting>> settings =
      training_settings(all, *forms, *model, **data);
  if (!settings.ok()) return settings.error();
  std::string text;
  for (const CheckpointSetting& setting : *settings)
    text += fmt::format("{}={}\n", setting.name, setting.value);
  return text;
}

std::string gains_text_of(const GainSource& gains, const std::string& file_text) {
  return gains.path ? file_text : fmt::format("measured on {}\n", gains.batches);
}

// Everything that decides the choice.
Result<std::string> choice_key(const TrainRequest& request) {
  const Result<FormsRequest> asked = forms_request(request);
  if (!asked.ok()) return asked.error();
  const Result<std::string> settings = settings_text(request);
  if (!settings.ok()) return settings;
  const Result<std::string> problems = problems_text(request, asked->question);
  if (!problems.ok()) return problems;
  Result<std::string> gains = std::string();
  if (request.gains.path) gains = read_gains_file(*request.gains.path);
  if (!gains.ok()) return gains;
  return plan_key(asked->question, fmt::format("trained {} {}\n", kChoiceGeneration,
                                               std::get<RamBytes>(*request.plan.ram_budget).bytes) +
                                       gains_text_of(request.gains, *gains) + *settings +
                                       *problems);
}

// Chooses for one request, which names one budget.
class Choosing {
 public:
  Choosing(const TrainRequest& request, const Stop& stop, const ProgressSink& progress)
      : request_(request), stop_(stop), progress_(progress) {}

  // Nothing where nothing fits.
  Result<std::optional<TrainingChoice>> choose() {
    const Result<FormsRequest> asked = forms_request(request_);
    if (!asked.ok()) return asked.error();
    const Result<Model> model = model_of(asked->question);
    if (!model.ok()) return model.error();
    const Result<TrainingGains> gains =
        gains_of(request_, *model, stop_, [this](std::int64_t done, std::int64_t batches) {
          const std::string phase = fmt::format("gradients of batch {} of {}", done + 1, batches);
          if (progress_) progress_({.phase = phase, .search_unit = ""});
        });
    if (!gains.ok()) return gains.error();
    Result<std::optional<TrainingChoice>> best = greedy_choice(
        *model, *gains, kMostTries, [this](const std::string& train) { return fits(train); });
    if (!best.ok()) return best;
    std::vector<TrainingChoice> choices = training_choices(*model, *gains, kMostOfAWay);
    std::stable_sort(choices.begin(), choices.end(), is_worth_more);
    for (const TrainingChoice& choice : choices) {
      if (*best && is_worth_more(**best, choice)) break;  // the same set has a shorter name here
      const Result<bool> fit = fits(choice.train);
      if (!fit.ok()) return fit.error();
      if (*fit) return std::optional(choice);
    }
    return best;
  }

 private:
  // As training plans, every form in one arena. Each try has a time of its own.
  Result<bool> fits(const std::string& train) const {
    const Result<FormsRequest> asked = forms_request(that_trains(request_, train));
    if (!asked.ok()) return asked.error();
    FormsMaker maker;
    Result<StepForms> forms = maker.take(*asked);
    if (!forms.ok()) return forms.error();
    const Stop own = with_own_limit(stop_, kTry_s);
    const Result<PlannedForms> planned =
        plan_forms(*forms, asked->question, {.steps = known_steps(request_)}, own, progress_);
    if (!planned.ok()) return planned.error();
    return planned->no.empty();
  }

  const TrainRequest& request_;
  const Stop& stop_;
  const ProgressSink& progress_;
};

SettledTraining settled_on(const TrainRequest& request, const std::string& train,
                           const std::string& why) {
  return {.request = that_trains(request, train),
          .note = fmt::format("--train auto is --train {}: {}", train, why)};
}

}  // namespace

Result<SettledTraining> settle_trained(const TrainRequest& request, const Stop& stop,
                                       const ProgressSink& progress) {
  if (request.plan.training.train != kTrainAuto) {
    if (request.gains.path)
      return bad_input("--gains is what --train auto chooses by: give both, or neither");
    return SettledTraining{.request = request};
  }
  if (Failure failure = check_request(request)) return *failure;
  const Result<std::optional<std::string>> before = trained_before(request);
  if (!before.ok()) return before.error();
  if (*before) return settled_on(request, **before, "the checkpoint's training is gone on with");
  const TrainRequest least = in_least_budget(request);
  const Result<std::string> key = choice_key(least);
  if (!key.ok()) return key.error();
  const std::string why = fmt::format("worth most of what was found to be trainable in {}",
                                      bytes_text(std::get<RamBytes>(*least.plan.ram_budget).bytes));
  if (const auto known = find_trained(request.cache, *key)) return settled_on(request, *known, why);
  if (request.only_cached_plans) return SettledTraining{.request = request, .is_missing = true};
  Stop unlimited = stop;
  unlimited.limit_s = std::numeric_limits<double>::infinity();
  const Result<std::optional<TrainingChoice>> chosen =
      Choosing(least, unlimited, progress).choose();
  if (!chosen.ok()) return chosen.error();
  if (!*chosen)
    return SettledTraining{
        .request = request,
        .no = fmt::format("nothing was found that can be trained in {}: 'poet worth' says how "
                          "little RAM each choice takes",
                          bytes_text(std::get<RamBytes>(*least.plan.ram_budget).bytes))};
  if (Failure failure = keep_trained(request.cache, *key, (*chosen)->train)) return *failure;
  return settled_on(request, (*chosen)->train, why);
}

}  // namespace poet
