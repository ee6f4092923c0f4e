#include "poet/forms/step_forms.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "poet/ask/steps.h"
#include "poet/autodiff/order.h"
#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/forms/evaluation_graph.h"
#include "poet/forms/times_in_step.h"
#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"
#include "poet/parts/step_in_parts.h"
#include "poet/pose/graph_problem.h"
#include "poet/problem/facts.h"
#include "poet/problem/uncertainty.h"

namespace poet {
namespace {

std::vector<StepForm> forms_of(const FormsRequest& request) {
  if (request.rank) return {StepForm::First, StepForm::Update};
  if (request.micro_batches == 1) return {StepForm::Whole};
  if (request.micro_batches == 2) return {StepForm::First, StepForm::Last};
  return {StepForm::First, StepForm::Middle, StepForm::Last};
}

// The question for one micro-batch of the step.
Result<Question> part_question(const FormsRequest& request) {
  Question part = request.question;
  if (request.micro_batches < 1 || part.batch_size % request.micro_batches != 0)
    return bad_input(fmt::format("a batch of {} cannot be split into {} equal micro-batches",
                                 part.batch_size, request.micro_batches));
  if (request.rank && request.micro_batches < request.rank->count)
    return bad_input(
        fmt::format("{} ranks need at least as many micro-batches, and --micro-batches is {}",
                    request.rank->count, request.micro_batches));
  part.batch_size /= request.micro_batches;
  part.training.micro_batches = request.micro_batches;
  if (request.rank && !part.training.largest_gradient_norm)
    part.training.update_part = UpdatePart{request.rank->own, request.rank->count};
  return part;
}

Failure check_split(const FormsRequest& request, const TrainingGraph& step) {
  if (request.micro_batches == 1) return std::nullopt;
  for (const GraphOperation& operation : step.graph.operations)
    if (operation.kind == Operator::RunningStatistics)
      return bad_input(fmt::format(
          "{} normalises by the statistics of its batch ({}): micro-batches would have others",
          step.graph.name, operation.name));
  return std::nullopt;
}

// How all forms of a step in parts are cut: like the last, which has every operation of the others,
// and the updates. They have parameters and accumulators in the same pieces.
Result<KnownCuts> cuts_of_forms(Question part, const Model& model, const FormsRequest& asked) {
  if (!part.training.part_bytes || asked.micro_batches == 1) return KnownCuts();
  part.training.form = StepForm::Last;
  const Result<TrainingGraph> uncut = whole_step_of(part, model);
  if (!uncut.ok()) return uncut.error();
  // Nothing that is refused has to be cut first.
  if (Failure failure = check_split(asked, *uncut)) return *failure;
  Result<StepInParts> last = parts_of(part, model);
  if (!last.ok()) return last.error();
  return std::move(last->all_cuts);
}

Result<StepGraph> training_form(Question part, const Model& model, StepForm form,
                                const FormsRequest& asked, const KnownCuts& cuts) {
  part.training.form = form;
  Result<TrainingGraph> step = step_of(part, model, cuts);
  if (!step.ok()) return step.error();
  reorder(*step, {.ram_bytes = part.training.order_for_bytes});
  Result<Instance> instance = instance_of(part, *step);
  if (!instance.ok()) return instance.error();
  if (Failure failure = check_split(asked, *step)) return *failure;
  std::erase_if(instance->warnings, [&step](const std::string& warning) {
    return std::find(step->notes.begin(), step->notes.end(), warning) != step->notes.end();
  });
  const auto whole_name = [&step](TensorId id) {
    const auto piece = step->pieces.find(id);
    return piece == step->pieces.end() ? at(step->graph.tensors, id).name : piece->second.whole;
  };
  std::set<std::string> trained;
  std::map<std::string, std::string> accumulators;
  for (const TrainedParameter& parameter : step->trained) {
    trained.insert(whole_name(parameter.parameter));
    if (parameter.accumulator)
      accumulators.emplace(whole_name(*parameter.accumulator), whole_name(parameter.parameter));
  }
  return StepGraph{.name = std::string(name_of(kStepForms, form)),
                   .graph = std::move(step->graph),
                   .inputs = std::move(step->inputs),
                   .targets = std::move(step->labels),
                   .share = step->share,
                   .initial = std::move(step->initial),
                   .pieces = std::move(step->pieces),
                   .trained = std::move(trained),
                   .accumulators = std::move(accumulators),
                   .instance = *std::move(instance),
                   .notes = std::move(step->notes)};
}

// Cuts the forward pass too, with what both keep in the pieces that the training has.
Failure cut_like(const StepGraph& training, std::int64_t part_bytes, Model& model,
                 std::map<TensorId, TensorPiece>& pieces) {
  KnownCuts known;
  for (const auto& [tensor, piece] : training.pieces)
    if (at(training.graph.tensors, tensor).role != TensorRole::Input) known.add(piece);
  for (const GraphTensor& tensor : training.graph.tensors)
    if (tensor.home != Home::Made && tensor.role != TensorRole::Input) known.add_whole(tensor);
  TrainingGraph whole{.graph = std::move(model.graph),
                      .loss = model.outputs.front().tensor,
                      .inputs = std::move(model.inputs),
                      .initial = std::move(model.initial)};
  Result<StepInParts> parts = step_in_parts(whole, part_bytes, known);
  if (!parts.ok()) return parts.error();
  model.graph = std::move(parts->step.graph);
  model.inputs = std::move(parts->step.inputs);
  model.initial = std::move(parts->step.initial);
  pieces = std::move(parts->step.pieces);
  return std::nullopt;
}

// The forward pass under the limits of the training, but for its deadline.
Result<StepGraph> evaluation_form(const Question& part, const Model& trained,
                                  const StepGraph& training) {
  const Instance& of_training = training.instance;
  Result<Model> model = evaluation_model(trained, part.training);
  if (!model.ok()) return model.error();
  std::map<TensorId, TensorPiece> pieces;
  if (part.training.part_bytes)
    if (Failure failure = cut_like(training, *part.training.part_bytes, *model, pieces))
      return *failure;
  // A profile is of the training step, and need not have every operation of this.
  Question lenient = part;
  if (part.costs) lenient.missing_costs = MissingCosts::Formula;
  const Result<CostTable> costs = costs_of(lenient, model->graph, *of_training.device);
  if (!costs.ok()) return costs.error();
  const Result<std::unique_ptr<KernelSet>> kernels = make_kernels(part.kernels);
  if (!kernels.ok()) return kernels.error();
  Problem problem = graph_problem(model->graph, *costs, *of_training.device,
                                  part.memory_power_scale, part.alignment_bytes, **kernels);
  const Problem& like = of_training.problem;
  problem.further_memories = like.further_memories;
  problem.storage_capacity_bytes = like.storage_capacity_bytes;
  problem.idle_w = like.idle_w;
  problem.time_mode = like.time_mode;
  problem.objective = like.objective;
  problem.paging_allowed = like.paging_allowed;
  problem.rematerialisation_allowed = like.rematerialisation_allowed;
  StepGraph form{.name = "evaluation",
                 .graph = std::move(model->graph),
                 .inputs = std::move(model->inputs),
                 .initial = std::move(model->initial),
                 .pieces = std::move(pieces)};
  form.instance.device = of_training.device;
  form.instance.problem = std::move(problem);
  return form;
}

// The same in a batch of its own.
Result<StepGraph> prediction_form(Question part, std::int64_t batch_size, const StepForms& forms) {
  part.batch_size = batch_size;
  const Result<Model> model = model_of(part);
  if (!model.ok()) {
    Error error = model.error();
    error.message += fmt::format(" (--predict-batch asks for {})", batch_size);
    return error;
  }
  Result<StepGraph> form = evaluation_form(part, *model, forms.forms.front());
  if (form.ok()) form->name = kPrediction;
  return form;
}

// One example of a tensor that holds a batch.
ExamplePart part_of(const std::string& name, const TensorType& type,
                    std::optional<std::int64_t> limit) {
  Shape shape = type.shape;
  if (!shape.empty()) shape.erase(shape.begin());
  return {.name = name, .type = {type.element, std::move(shape)}, .value_limit = limit};
}

// What the indices or labels of a tensor stay below, for an operation that reads it.
std::optional<std::int64_t> extent_for(const Graph& graph, const GraphOperation& operation,
                                       TensorId numbers) {
  const InputDomain& domain = entry_of(operation.kind).domain;
  if (domain.index_extent == nullptr) return std::nullopt;
  for (std::size_t k = 0; k < operation.inputs.size(); ++k)
    if (operation.inputs[k] == numbers)
      if (const auto extent = domain.index_extent(types_of(graph, operation), k)) return extent;
  return std::nullopt;
}

// How many rows the table has that a tensor of indices looks up.
std::optional<std::int64_t> rows_looked_up(const Graph& graph, TensorId indices) {
  for (const GraphOperation& operation : graph.operations)
    if (entry_of(operation.kind).roles.value().front() == InputRole::Table)
      if (const auto rows = extent_for(graph, operation, indices)) return rows;
  return std::nullopt;
}

// How many classes labels tell apart, by the loss that reads them, through what only moves them.
std::optional<std::int64_t> classes_of(const Graph& graph, TensorId labels) {
  for (const GraphOperation& operation : graph.operations) {
    const std::vector<TensorId>& inputs = operation.inputs;
    if (std::find(inputs.begin(), inputs.end(), labels) == inputs.end()) continue;
    if (const auto classes = extent_for(graph, operation, labels)) return classes;
    const bool moves = operation.kind == Operator::Reshape || operation.kind == Operator::Slice ||
                       operation.kind == Operator::Concat;
    if (!moves) continue;
    if (const auto classes = classes_of(graph, operation.outputs[0])) return classes;
  }
  return std::nullopt;
}

// The type of what a tensor holds, or holds a piece of.
const TensorType& whole_type(const StepGraph& form, TensorId tensor) {
  const auto piece = form.pieces.find(tensor);
  return piece == form.pieces.end() ? at(form.graph.tensors, tensor).type : piece->second.type;
}

const std::string& whole_name(const StepGraph& form, TensorId tensor) {
  const auto piece = form.pieces.find(tensor);
  return piece == form.pieces.end() ? at(form.graph.tensors, tensor).name : piece->second.whole;
}

// How often each form runs in a step. How micro-batches are divided among ranks depends on their
// plans: no rank takes more than all but one of each other (divided() in poet/use/rank_meeting.h).
std::vector<std::int64_t> times_in_step(const FormsRequest& request, const StepForms& forms) {
  const std::int64_t others = request.rank ? request.rank->count - 1 : 0;
  return times_in_step(forms, request.micro_batches - others);
}

// A deadline in seconds is one of the whole step: each micro-batch gets its part in proportion to
// what no schedule of it can save. The last takes longer than the others, with the updates.
void share_deadline(const FormsRequest& request, StepForms& forms) {
  if (request.micro_batches == 1 || !request.question.deadline) return;
  const auto* const whole = std::get_if<DeadlineSeconds>(&*request.question.deadline);
  if (whole == nullptr) return;
  const std::vector<std::int64_t> times = times_in_step(request, forms);
  double least_s = 0;
  for (std::size_t k = 0; k < times.size(); ++k)
    least_s += static_cast<double>(times[k]) * unavoidable(forms.forms[k].instance.problem).time_s;
  if (!(least_s > 0)) return;  // any deadline will do
  for (StepGraph& form : forms.forms) {
    const double share = unavoidable(form.instance.problem).time_s / least_s;
    set_deadline(form.instance.problem, whole->seconds * share);
  }
}

// Of what a step may write, each micro-batch gets what it cannot help writing, and an equal part of
// the rest. Where there is no rest, each gets the same part of what it cannot help.
void share_write_budget(const FormsRequest& request, StepForms& forms) {
  if (!request.question.write_budget_bytes || request.micro_batches == 1) return;
  const std::vector<std::int64_t> times = times_in_step(request, forms);
  const std::int64_t budget_bytes = *request.question.write_budget_bytes;
  std::int64_t needed_bytes = 0;
  for (std::size_t k = 0; k < times.size(); ++k)
    needed_bytes += times[k] * unavoidable_written_bytes(forms.forms[k].instance.problem);
  const std::int64_t runs = std::accumulate(times.begin(), times.end(), std::int64_t{0});
  for (StepGraph& form : forms.forms) {
    Problem& problem = form.instance.problem;
    const std::int64_t bytes = unavoidable_written_bytes(problem);
    if (needed_bytes <= budget_bytes) {
      problem.write_budget_bytes = bytes + (budget_bytes - needed_bytes) / runs;
    } else {
      const double part = static_cast<double>(budget_bytes) / static_cast<double>(needed_bytes);
      const auto share = static_cast<std::int64_t>(part * static_cast<double>(bytes));
      problem.write_budget_bytes = std::max<std::int64_t>(std::min(share, bytes - 1), 0);
    }
  }
}

Failure check_places(const TrainingOptions& options) {
  if (options.parameters == ParameterPlace::Excluded)
    return bad_input(
        "parameters that are not counted are for planning: to train, have them planned, chosen or "
        "resident");
  return std::nullopt;
}

// The budget for all forms: a part of a peak is one of the largest of theirs.
Failure set_budget(const std::optional<RamBudget>& budget, StepForms& forms) {
  const auto peak = [](const StepGraph& form) { return plain_peak_bytes(form.instance.problem); };
  const auto largest = std::max_element(
      forms.forms.begin(), forms.forms.end(),
      [&peak](const StepGraph& a, const StepGraph& b) { return peak(a) < peak(b); });
  forms.plain = {.peak_bytes = peak(*largest),
                 .part_bytes = largest->instance.parts.part_bytes,
                 .time_s = {},
                 .energy_j = {}};
  for (const StepGraph& form : forms.forms) {
    const Replay plain = plain_replay(form.instance.problem);
    forms.plain.time_s.push_back(plain.time_s);
    forms.plain.energy_j.push_back(plain.energy_j);
  }
  forms.ram_budget_bytes = largest->instance.problem.ram_budget_bytes;
  if (!budget) return std::nullopt;
  const Result<std::int64_t> bytes = budget_bytes(*budget, largest->instance.problem);
  if (!bytes.ok()) return bytes.error();
  forms.ram_budget_bytes = *bytes;
  return std::nullopt;
}

// With updates by slices, where nothing else fits: in the same budget, which may be a part of a
// peak.
std::optional<FormsRequest> with_slices_that_fit(const FormsRequest& request,
                                                 const StepForms& forms) {
  std::vector<const Problem*> problems;
  for (const StepGraph& form : forms.forms) problems.push_back(&form.instance.problem);
  std::optional<std::set<std::string>> too_large =
      too_large_for(request.question, request.question.training.part_bytes.has_value(), problems,
                    forms.ram_budget_bytes);
  if (!too_large) return std::nullopt;
  FormsRequest sliced = request;
  sliced.question.training.too_large = *std::move(too_large);
  sliced.question.ram_budget = RamBytes{forms.ram_budget_bytes};
  return sliced;
}

// At no RAM budget yet.
Result<StepForms> forms_at_any_budget(const FormsRequest& request) {
  if (Failure failure = check_places(request.question.training)) return *failure;
  const Result<Question> part = part_question(request);
  if (!part.ok()) return part.error();
  Result<Model> model = model_of(*part);
  if (!model.ok()) return model.error();
  StepForms forms{.micro_batch_size = part->batch_size,
                  .model = std::make_shared<const Model>(*std::move(model))};
  const Result<KnownCuts> cuts = cuts_of_forms(*part, *forms.model, request);
  if (!cuts.ok()) return cuts.error();
  for (const StepForm form : forms_of(request)) {
    Result<StepGraph> graph = training_form(*part, *forms.model, form, request, *cuts);
    if (!graph.ok()) return graph.error();
    forms.forms.push_back(*std::move(graph));
  }
  if (request.training) {
    forms.notes = forms.forms.front().notes;
    if (Failure failure = check_rows_of_examples(forms.forms.front(), part->batch_size))
      return *failure;
  }
  share_deadline(request, forms);
  share_write_budget(request, forms);
  forms.wanted = wanted_by(forms.forms.front(), part->training);
  if (request.evaluation) {
    Result<StepGraph> graph = request.prediction_batch_size
                                  ? prediction_form(*part, *request.prediction_batch_size, forms)
                                  : evaluation_form(*part, *forms.model, forms.forms.front());
    if (!graph.ok()) return graph.error();
    forms.forms.push_back(*std::move(graph));
    forms.forms.back().instance.problem.ram_budget_bytes =
        forms.forms.front().instance.problem.ram_budget_bytes;
  }
  if (!request.training) forms.forms.erase(forms.forms.begin(), forms.forms.end() - 1);
  POET_CHECK(!forms.forms.empty());
  return forms;
}

Failure check_rows(const StepGraph& form, TensorId tensor, std::string_view what,
                   std::int64_t batch_size) {
  const Shape& shape = whole_type(form, tensor).shape;
  if (!shape.empty() && shape.front() == batch_size) return std::nullopt;
  return bad_input(fmt::format(
      "{} has the shape {}, and not one row for each of the {} examples of a batch: the "
      "network loses or mixes the dimension of the examples",
      what, to_text(shape), batch_size));
}

}  // namespace

Failure check_rows_of_examples(const StepGraph& form, std::int64_t batch_size) {
  for (const NamedTensor& input : form.inputs)
    if (Failure failure = check_rows(
            form, input.tensor, fmt::format("the input {}", in_quotes(input.name)), batch_size))
      return failure;
  if (form.targets.empty()) return std::nullopt;
  return check_rows(form, form.targets.front(), "what its output is compared with", batch_size);
}

WantedParts wanted_by(const StepGraph& form, const TrainingOptions& options) {
  WantedParts wanted{.has_target = !form.targets.empty()};
  for (const NamedTensor& input : form.inputs) {
    const bool is_known =
        std::any_of(wanted.parts.begin(), wanted.parts.end(),
                    [&](const ExamplePart& part) { return part.name == input.name; });
    if (is_known) continue;  // another piece of it
    const TensorType& type = whole_type(form, input.tensor);
    const bool whole = type.element == ElementType::Int64;
    wanted.parts.push_back(
        part_of(input.name, type, whole ? rows_looked_up(form.graph, input.tensor) : std::nullopt));
  }
  if (form.targets.empty()) return wanted;
  const TensorId target = form.targets.front();
  const TensorType& type = whole_type(form, target);
  const bool whole = type.element == ElementType::Int64;
  wanted.parts.push_back(part_of(whole_name(form, target), type,
                                 whole ? classes_of(form.graph, target) : std::nullopt));
  if (whole) wanted.parts.back().ignored_value = options.ignored_label;
  return wanted;
}

Result<StepForms> step_forms(const FormsRequest& request) {
  return FormsMaker().take(request);
}

Result<StepForms> FormsMaker::forms(const FormsRequest& request) {
  auto known = made_.find(key_of(request));
  if (known == made_.end()) {
    Result<StepForms> made = forms_at_any_budget(request);
    if (!made.ok()) return made.error();
    known = made_.emplace(key_of(request), *std::move(made)).first;
  }
  StepForms forms = known->second;
  if (Failure failure = set_budget(request.question.ram_budget, forms)) return *failure;
  const std::optional<FormsRequest> sliced = with_slices_that_fit(request, forms);
  return sliced ? this->forms(*sliced) : forms;
}

Result<StepForms> FormsMaker::take(const FormsRequest& request) {
  const auto known = made_.find(key_of(request));
  Result<StepForms> forms = known == made_.end() ? forms_at_any_budget(request)
                                                 : Result<StepForms>(std::move(known->second));
  made_.clear();
  if (!forms.ok()) return forms;
  if (Failure failure = set_budget(request.question.ram_budget, *forms)) return *failure;
  const std::optional<FormsRequest> sliced = with_slices_that_fit(request, *forms);
  if (!sliced) return forms;
  *forms = {};
  return take(*sliced);
}

FormsMaker::Key FormsMaker::key_of(const FormsRequest& request) {
  const TrainingOptions& training = request.question.training;
  return {request.question.batch_size,
          request.micro_batches,
          request.rank.has_value(),
          request.training,
          request.evaluation,
          request.prediction_batch_size,
          training.updates,
          training.too_large,
          training.part_bytes,
          training.order_for_bytes};
}

}  // namespace poet
