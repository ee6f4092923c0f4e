#include "poet/use/use_network.h"

#include <set>
#include <utility>

#include "poet/base/check.h"
#include "poet/train/checkpoint.h"
#include "poet/train/evaluation.h"
#include "poet/use/checkpoint_base.h"
#include "poet/use/plan_in_budget.h"
#include "poet/use/unlimited_stop.h"

namespace poet {
namespace {

// A network that is ready to be used.
struct ReadyNetwork {
  UseReport report = {};
  WantedParts wanted = {};
  std::optional<BatchReader> reader = {};
  std::unique_ptr<RunningForms> running = {};
};

Failure set_values(const UseRequest& request, const Question& question, const Model& model,
                   ReadyNetwork& network) {
  RunningForms& running = *network.running;
  std::vector<const std::map<TensorId, Initial>*> initial;
  for (const auto& values : running.initial) initial.push_back(&values);
  if (Failure failure = set_initial(running.ready, initial)) return failure;
  if (!request.checkpoint_path) return std::nullopt;
  const Result<Checkpoint> checkpoint = open_checkpoint(*request.checkpoint_path, running.buffer);
  if (!checkpoint.ok()) return checkpoint.error();
  network.report.checkpoint_step = checkpoint->state.step;
  std::vector<HeldValue> held = held_values(running.ready, &running.rom);
  leave_out(base_parameters(model, question.training), held);
  std::set<std::string> taken;
  for (const HeldValue& value : held)
    if (value.write) taken.insert(value.name);
  if (Failure failure = check_base(*checkpoint, question, model, taken)) return failure;
  return restore(*checkpoint, held, Needed::Parameters, running.buffer);
}

Result<std::shared_ptr<const Dataset>> examples_of(const UseRequest& request,
                                                   const WantedParts& wanted) {
  if (request.open_data) return request.open_data;
  Result<std::unique_ptr<Dataset>> data = open_data(request.data, wanted);
  if (!data.ok()) return data.error();
  return std::shared_ptr<const Dataset>(*std::move(data));
}

enum class Targets { Wanted, NotLookedAt };

Result<ReadyNetwork> make_ready(const UseRequest& request, Targets targets, const Stop& stop) {
  Result<Question> question = read_question(request.plan);
  if (!question.ok()) return question.error();
  const FormsRequest asked{.question = *std::move(question),
                           .micro_batches = request.micro_batches,
                           .training = false,
                           .evaluation = true};
  FormsMaker maker;
  Result<StepForms> forms = maker.take(asked);
  if (!forms.ok()) return forms.error();
  ReadyNetwork network{.wanted = forms->wanted};
  if (targets == Targets::NotLookedAt && network.wanted.has_target) {
    network.wanted.parts.pop_back();
    network.wanted.has_target = false;
  }
  Result<std::shared_ptr<const Dataset>> data = examples_of(request, network.wanted);
  if (!data.ok()) return data.error();
  network.report.examples = (*data)->size();
  BatchOptions order = request.order;
  order.batch_size = forms->micro_batch_size;
  network.reader.emplace(*std::move(data), order);

  std::vector<std::string>& notes = network.report.notes;
  Result<PlannedForms> planned =
      plan_in_budget(asked, maker, *forms, {.cache = telling(request.cache, notes)}, stop, {});
  if (!planned.ok()) return planned.error();
  network.report.no = planned->no;
  notes.insert(notes.end(), planned->notes.begin(), planned->notes.end());
  notes.insert(notes.end(), planned->search_notes.begin(), planned->search_notes.end());
  network.report.ram_budget_bytes = forms->ram_budget_bytes;
  network.report.arena_bytes = planned->arena_bytes;
  if (!network.report.no.empty()) return network;
  const Result<std::unique_ptr<KernelSet>> kernels = make_kernels(asked.question.kernels);
  if (!kernels.ok()) return kernels.error();
  Result<std::unique_ptr<RunningForms>> running =
      start_forms(*forms, *planned, request.storage, {.kernels = kernels->get()});
  if (!running.ok()) return running.error();
  network.running = *std::move(running);
  if (Failure failure = set_values(request, asked.question, *forms->model, network))
    return *failure;
  network.running->forget_beginning();
  return network;
}

}  // namespace

Result<UseReport> evaluate_network(const UseRequest& request, const Stop& stop) {
  Result<ReadyNetwork> network = make_ready(request, Targets::Wanted, stop);
  if (!network.ok()) return network.error();
  if (!network->running) return std::move(network->report);
  const TrainingOptions& options = request.plan.training;
  const std::optional<std::size_t> target =
      network->wanted.has_target ? std::optional(network->wanted.parts.size() - 1) : std::nullopt;
  const Result<Score> score = evaluate_score(
      network->running->ready.front(), *network->reader, target,
      {.loss = options.loss, .ignored_label = options.ignored_label}, without_limit(stop));
  if (!score.ok()) return score.error();
  network->report.score = *score;
  network->report.stopped = stop.token.stop_requested();
  return std::move(network->report);
}

Result<UseReport> predict_network(const UseRequest& request, const Stop& stop,
                                  const TakePrediction& take) {
  Result<ReadyNetwork> network = make_ready(request, Targets::NotLookedAt, stop);
  if (!network.ok()) return network.error();
  if (!network->running) return std::move(network->report);
  const Failure failure = for_each_batch(
      network->running->ready.front(), *network->reader, without_limit(stop),
      [&take, &network](const BatchOutput& batch) {
        const std::size_t row_bytes =
            batch.outputs.size() / static_cast<std::size_t>(batch.shape.front());
        return take(
            {.first_example = batch.first_example,
             .examples = batch.examples,
             .total_examples = network->reader->data().size(),
             .shape = batch.shape,
             .values = batch.outputs.first(row_bytes * static_cast<std::size_t>(batch.examples))});
      });
  if (failure) return *failure;
  network->report.stopped = stop.token.stop_requested();
  return std::move(network->report);
}

}  // namespace poet
