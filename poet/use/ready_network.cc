#include "poet/use/ready_network.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "poet/ask/published_beginning.h"
#include "poet/forms/plan_in_budget.h"
#include "poet/model/published_weights.h"
#include "poet/train/checkpoint.h"
#include "poet/use/checkpoint_base.h"
#include "poet/use/training_settings.h"

namespace poet {
namespace {

constexpr std::size_t kCheckpointPiece = 128 << 10;

Result<std::optional<Checkpoint>> opened(const std::optional<std::string>& path) {
  if (!path) return std::optional<Checkpoint>();
  std::vector<std::byte> buffer(kCheckpointPiece);
  Result<Checkpoint> checkpoint = open_checkpoint(*path, buffer);
  if (!checkpoint.ok()) return checkpoint.error();
  return std::optional(*std::move(checkpoint));
}

// Of what a checkpoint's training lowered. One of version 1 does not say.
void take_loss(const Checkpoint& checkpoint, TrainingOptions& training) {
  for (const CheckpointSetting& setting : checkpoint.state.settings)
    if (setting.name == kLossSetting)
      training.loss = value_of(kLosses, setting.value).value_or(training.loss);
}

Failure set_values(const std::optional<Checkpoint>& checkpoint, const Question& question,
                   const Model& model, ReadyNetwork& network) {
  RunningForms& running = *network.running;
  std::vector<const std::map<TensorId, Initial>*> initial;
  for (const auto& values : running.initial) initial.push_back(&values);
  if (Failure failure = set_initial(running.ready, initial)) return failure;
  if (!checkpoint) return std::nullopt;
  network.report.checkpoint_step = checkpoint->state.step;
  std::vector<HeldValue> held = held_values(running.ready, &running.rom);
  leave_out(base_parameters(model, question.training), held);
  std::set<std::string> taken;
  for (const HeldValue& value : held)
    if (value.write) taken.insert(value.name);
  if (Failure failure = check_base(*checkpoint, question, model, taken)) return failure;
  return restore(*checkpoint, held, Needed::Parameters, running.buffer);
}

// Nothing is trained here, so what is quantised may be among all parameters.
void leave_quantised_alone(Question& question) {
  const auto* const network = std::get_if<AskedNetwork>(&question.graph);
  if (network == nullptr || !network->weights || network->adapters ||
      question.training.train != "all")
    return;
  const auto is_quantised = [](const auto& entry) { return entry.second.blocks.has_value(); };
  if (std::ranges::any_of(network->weights->tensors, is_quantised))
    question.training.train = "unquantised";
}

Result<std::shared_ptr<const Dataset>> examples_of(const UseRequest& request,
                                                   const WantedParts& wanted) {
  if (request.open_data) return request.open_data;
  if (request.make_data) return request.make_data(wanted);
  Result<std::unique_ptr<Dataset>> data = open_data(request.data, wanted);
  if (!data.ok()) return data.error();
  return std::shared_ptr<const Dataset>(*std::move(data));
}

}  // namespace

Result<ReadyNetwork> make_ready(const UseRequest& request, Targets targets, const Stop& stop) {
  if (Failure failure = check_storage(request.storage)) return *failure;
  const Result<std::optional<Checkpoint>> checkpoint = opened(request.checkpoint_path);
  if (!checkpoint.ok()) return checkpoint.error();
  PlanRequest plan = request.plan;
  if (*checkpoint && request.loss_of == LossOf::Checkpoint) take_loss(**checkpoint, plan.training);
  Result<Question> question = read_question(plan);
  if (!question.ok()) return question.error();
  if (Failure failure = check_memory_folders(request.storage, *question)) return *failure;
  question->training.ignored_label = ignored_label_of(request.data);
  leave_quantised_alone(*question);
  const FormsRequest asked{.question = *std::move(question),
                           .micro_batches = request.micro_batches,
                           .training = false,
                           .evaluation = true};
  FormsMaker maker;
  Result<StepForms> forms = maker.take(asked);
  if (!forms.ok()) return forms.error();
  Result<std::vector<std::string>> notes_of_weights =
      check_beginning(asked.question, request.non_finite);
  if (!notes_of_weights.ok()) return notes_of_weights.error();
  ReadyNetwork network{.wanted = forms->wanted};
  network.report.notes = *std::move(notes_of_weights);
  network.report.loss = plan.training.loss;
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
  Result<PlannedForms> planned = plan_in_budget(
      asked, maker, *forms, {.cache = telling_unkept(request.cache, notes)}, stop, {});
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
  if (Failure failure = set_values(*checkpoint, asked.question, *forms->model, network))
    return *failure;
  network.running->forget_beginning();
  return network;
}

}  // namespace poet
