#include "poet/use/measured_gains.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "poet/ask/question.h"
#include "poet/autodiff/order.h"
#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/data/batch_reader.h"
#include "poet/forms/step_forms.h"
#include "poet/graph/operator.h"
#include "poet/kernels/evaluate.h"
#include "poet/model/initial.h"
#include "poet/train/step_words.h"
#include "poet/use/forms_request.h"
#include "poet/use/training_data.h"

namespace poet {
namespace {

// As a pattern for names, beside adapters too, where "all" is none of the network's own.
constexpr const char* kEverything = "regex:.";

// A step that says how large each gradient is: limiting their norm takes the squares of all.
Result<TrainingGraph> step_with_squares(const Question& question, const Model& model) {
  TrainingOptions options = question.training;
  options.train = kEverything;
  options.optimiser = Optimiser::Sgd;
  options.largest_gradient_norm = 1;
  options.updates = Updates::Separate;
  options.part_bytes.reset();
  Result<TrainingGraph> step = training_graph(model, options);
  if (step.ok()) reorder(*step);
  return step;
}

TensorId square_of(const Graph& graph, TensorId gradient) {
  for (const GraphOperation& operation : graph.operations)
    if (operation.kind == Operator::SumOfSquares && operation.inputs.front() == gradient)
      return operation.outputs.front();
  POET_CHECK(false);
  return {};
}

// The step with all that it is given; what comes with a batch changes from one to the next.
class SquaredGradients {
 public:
  SquaredGradients(const TrainingGraph& step, const KernelSet& kernels)
      : step_(step), kernels_(kernels) {
    for (const auto& [tensor, initial] : step.initial) {
      const TensorType& type = at(step.graph.tensors, tensor).type;
      const auto* const stored = std::get_if<StoredBytes>(&initial);
      if (stored == nullptr) values_[tensor] = {type, initial_bytes(initial, type)};
      given_[tensor] = stored != nullptr ? TensorView{type, stored->bytes} : TensorView{};
    }
    for (const auto& [tensor, value] : values_) given_[tensor] = view_of(value);
    for (const TrainedParameter& trained : step.trained)
      wanted_.push_back(square_of(step.graph, *trained.gradient));
  }

  // The bytes of a tensor that comes with a batch.
  std::vector<std::byte>& bytes_of(TensorId tensor) {
    const TensorType& type = at(step_.graph.tensors, tensor).type;
    TensorValue& value = values_[tensor];
    value = {type, std::vector<std::byte>(static_cast<std::size_t>(size_bytes(type)))};
    given_[tensor] = view_of(value);
    return value.bytes;
  }

  // In the order of the step's trained parameters.
  Result<std::vector<double>> of_this_batch() const {
    const Result<std::vector<TensorValue>> squares =
        evaluate(step_.graph, given_, wanted_, kernels_);
    if (!squares.ok()) return squares.error();
    std::vector<double> numbers;
    for (const TensorValue& square : *squares)
      numbers.push_back(static_cast<double>(floats_of(square).front()));
    return numbers;
  }

 private:
  const TrainingGraph& step_;
  const KernelSet& kernels_;
  std::map<TensorId, TensorValue> values_ = {};
  std::map<TensorId, TensorView> given_ = {};
  std::vector<TensorId> wanted_ = {};
};

// The examples of one batch and what kernels are told of its step.
Failure give_batch(const TrainRequest& request, const TrainingGraph& step,
                   const BatchReader& reader, std::int64_t batch, SquaredGradients& squares) {
  std::vector<TensorId> places;
  for (const NamedTensor& input : step.inputs) places.push_back(input.tensor);
  places.insert(places.end(), step.labels.begin(), step.labels.end());
  const std::int64_t first = batch * reader.options().batch_size;
  for (std::size_t part = 0; part < places.size(); ++part)
    if (Failure failure = reader.read(first, part, squares.bytes_of(places[part]))) return failure;
  if (!step.step) return std::nullopt;
  const poet_step_words words =
      step_words(request.seed, {.step = batch + 1}, request.learning_rate.peak,
                 request.plan.training.constants);
  std::vector<std::byte>& bytes = squares.bytes_of(*step.step);
  POET_CHECK(bytes.size() == sizeof words);
  std::memcpy(bytes.data(), &words, sizeof words);
  return std::nullopt;
}

Failure add_squares(const TrainingGraph& step, const std::vector<double>& squares,
                    std::int64_t batches, TrainingGains& gains) {
  for (std::size_t k = 0; k < squares.size(); ++k) {
    const std::string& name = at(step.graph.tensors, step.trained[k].parameter).name;
    if (!std::isfinite(squares[k]))
      return bad_input(fmt::format(
          "the gradient of {} is not finite, so nothing can be said of what it is worth to train",
          in_quotes(name)));
    gains.parameters[name] += squares[k] / static_cast<double>(batches);
  }
  return std::nullopt;
}

Result<std::shared_ptr<const Dataset>> data_of(const TrainRequest& request,
                                               const Question& question,
                                               const TrainingGraph& step) {
  const StepGraph form{.graph = step.graph, .inputs = step.inputs, .targets = step.labels};
  if (Failure failure = check_rows_of_examples(form, question.batch_size)) return *failure;
  Result<TrainingData> data = open_training_data(request, wanted_by(form, question.training));
  if (!data.ok()) return data.error();
  return std::move(data->training);
}

}  // namespace

Result<std::shared_ptr<const Dataset>> data_for_gains(const TrainRequest& request,
                                                      const Question& question,
                                                      const Model& model) {
  const Result<TrainingGraph> step = step_with_squares(question, model);
  if (!step.ok()) return step.error();
  return data_of(request, question, *step);
}

Result<TrainingGains> measured_gains(const TrainRequest& request, std::int64_t batches,
                                     const Stop& stop, const GainsProgress& progress) {
  const Result<FormsRequest> asked = forms_request(request);
  if (!asked.ok()) return asked.error();
  const Question& question = asked->question;
  const Result<Model> model = decoded_model_of(question);
  if (!model.ok()) return model.error();
  const Result<TrainingGraph> step = step_with_squares(question, *model);
  if (!step.ok()) return step.error();
  const Result<std::shared_ptr<const Dataset>> data = data_of(request, question, *step);
  if (!data.ok()) return data.error();
  const BatchReader reader(*data, {.batch_size = question.batch_size,
                                   .seed = request.seed,
                                   .augmentation = request.augmentation});
  const Result<std::unique_ptr<KernelSet>> kernels = make_kernels(question.kernels);
  if (!kernels.ok()) return kernels.error();
  SquaredGradients squares(*step, **kernels);
  TrainingGains gains{.source =
                          fmt::format("squared gradients, the mean of {} batch{} of {}", batches,
                                      batches == 1 ? "" : "es", question.batch_size)};
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    if (progress) progress(batch, batches);
    if (stop.token.stop_requested()) return bad_input("stopped before the gradients were measured");
    if (Failure failure = give_batch(request, *step, reader, batch, squares)) return *failure;
    const Result<std::vector<double>> numbers = squares.of_this_batch();
    if (!numbers.ok()) return numbers.error();
    if (Failure failure = add_squares(*step, *numbers, batches, gains)) return *failure;
  }
  return gains;
}

}  // namespace poet
