#include "poet/use/prepared_run.h"

#include <utility>
#include <vector>

#include "poet/forms/choose_split.h"
#include "poet/forms/plan_in_budget.h"
#include "poet/use/checkpoint_base.h"
#include "poet/use/forms_request.h"
#include "poet/use/measures_of_run.h"
#include "poet/use/running_forms.h"

namespace poet {
namespace {

class Preparing {
 public:
  Preparing(TrainRequest& request, CheckpointsOfRun& checkpoints, const Stop& stop,
            const TrainEvents& events, PreparedRun& made, TrainReport& report)
      : request_(request),
        checkpoints_(checkpoints),
        stop_(stop),
        events_(events),
        made_(made),
        report_(report) {}

  Failure prepare() {
    if (Failure failure = check_storage(request_.storage)) return failure;
    Result<FormsRequest> asked = forms_request(request_);
    if (!asked.ok()) return asked.error();
    made_.asked = *std::move(asked);
    if (Failure failure = check_memory_folders(request_.storage, made_.asked.question))
      return failure;
    if (looks_for_best(request_) && !made_.asked.evaluation)
      return bad_input(
          "the best step is found by trying the network: give --test-data, or --held-out");
    if (Failure failure = settle_split()) return failure;
    if (report_.plans_are_missing) return std::nullopt;
    Result<StepForms> forms = made_.maker.take(made_.asked);
    if (!forms.ok()) return forms.error();
    made_.forms = *std::move(forms);
    Result<TrainingData> data = open_training_data(request_, made_.forms.wanted);
    if (!data.ok()) return data.error();
    made_.data = *std::move(data);
    if (Failure failure = check_augmentation()) return failure;
    report_.plain_peak_bytes = made_.forms.plain.peak_bytes;
    report_.planned_with = planned_with(made_.forms.forms.front().instance, request_.figures.get());
    made_.steps = steps_of(request_, made_.data.training->size());
    request_.learning_rate.steps = made_.steps;
    if (Failure failure = check_rate(request_.learning_rate)) return failure;
    for (const StepGraph& form : made_.forms.forms)
      made_.trained.insert(form.trained.begin(), form.trained.end());
    made_.base = base_parameters(*made_.forms.model, made_.asked.question.training);
    if (Failure failure = checkpoints_.look(made_.asked, *made_.forms.model, *made_.data.training))
      return failure;
    return plan();
  }

 private:
  // What is moved or turned around must not be what a target says of places.
  Failure check_augmentation() const {
    if (!request_.augmentation.changes()) return std::nullopt;
    const std::vector<ExamplePart>& parts = made_.forms.wanted.parts;
    const TensorType& picture = parts.front().type;
    const bool fits = parts.size() == 2 && made_.forms.wanted.has_target &&
                      picture.element == ElementType::Float32 && picture.shape.size() == 3 &&
                      parts.back().type.shape.empty();
    if (fits) return std::nullopt;
    return bad_input("--augment is for pictures that have one label each");
  }

  Failure settle_split() {
    report_.micro_batches = made_.asked.micro_batches;
    if (request_.split == SplitBy::Request) return std::nullopt;
    Result<std::optional<SplitChoice>> choice = choose_split(
        made_.asked, made_.maker, plan_options(known_steps(request_)), stop_, events_.planning);
    if (!choice.ok()) return choice.error();
    report_.plans_are_missing = !*choice;
    if (!*choice) return std::nullopt;
    made_.asked = with_split(std::move(made_.asked), **choice);
    report_.micro_batches = (*choice)->micro_batches;
    report_.split = *std::move(*choice);
    return std::nullopt;
  }

  PlanFormsOptions plan_options(std::optional<std::int64_t> steps) {
    return {.cache = telling_unkept(request_.cache, report_.search_notes),
            .only_from_cache = request_.only_cached_plans,
            .steps = steps};
  }

  Failure plan() {
    const std::optional<std::int64_t> steps = expected_steps(request_, made_.forms.wanted);
    Result<PlannedForms> planned = plan_in_budget(made_.asked, made_.maker, made_.forms,
                                                  plan_options(steps), stop_, events_.planning);
    if (!planned.ok()) return planned.error();
    made_.planned = *std::move(planned);
    report_.no = made_.planned.no;
    report_.notes = made_.planned.notes;
    report_.search_notes.insert(report_.search_notes.end(), made_.planned.search_notes.begin(),
                                made_.planned.search_notes.end());
    report_.ram_budget_bytes = made_.forms.ram_budget_bytes;
    report_.plans_are_missing = made_.planned.steps.empty() && made_.planned.no.empty();
    if (made_.planned.steps.empty()) return std::nullopt;
    const Instance& first = made_.forms.forms.front().instance;
    report_.updates = first.updates;
    // Of what may be chosen, each kind was asked for by itself.
    if (report_.updates.asked) report_.updates.asked = made_.asked.question.training.updates;
    report_.parts = first.parts;
    report_.parts.by_budget = made_.asked.question.training.parts_by_budget;
    report_.arena_bytes = made_.planned.arena_bytes;
    for (std::size_t m = 0; m < made_.planned.further_arena_bytes.size(); ++m)
      report_.further_arenas.push_back(
          {first.problem.further_memories[m].name, made_.planned.further_arena_bytes[m]});
    report_.storage_bytes = made_.planned.storage_bytes;
    return std::nullopt;
  }

  TrainRequest& request_;
  CheckpointsOfRun& checkpoints_;
  const Stop& stop_;
  const TrainEvents& events_;
  PreparedRun& made_;
  TrainReport& report_;
};

}  // namespace

bool looks_for_best(const TrainRequest& request) {
  return request.best_checkpoint_path || request.most_no_better > 0;
}

Failure prepare_run(TrainRequest& request, CheckpointsOfRun& checkpoints, const Stop& stop,
                    const TrainEvents& events, PreparedRun& made, TrainReport& report) {
  return Preparing(request, checkpoints, stop, events, made, report).prepare();
}

}  // namespace poet
