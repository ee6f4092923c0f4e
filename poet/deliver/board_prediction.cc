#include "poet/deliver/board_prediction.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>

#include "poet/forms/unlimited_stop.h"
#include "poet/use/train_network.h"
#include "poet/use/training_data.h"
#include "poet/use/use_network.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

// More than any plan of whole operations wants, so that nothing is looked for.
constexpr RamOfPlainPeak kRamHere{2};

// In the project's folder, while they are needed.
class Scratch {
 public:
  explicit Scratch(const std::string& folder)
      : folder_((fs::path(folder) / ".poet-here").string()) {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    fs::create_directory(folder_, ignored);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& folder() const { return folder_; }
  std::string checkpoint() const { return folder_ + "/checkpoint"; }

 private:
  std::string folder_;
};

// The training as this machine takes it.
TrainRequest training_here(const ExportRequest& request, const Scratch& scratch) {
  TrainRequest here = request.training;
  here.plan.ram_budget = kRamHere;
  here.plan.training.part_bytes.reset();
  here.plan.deadline.reset();
  here.plan.write_budget_bytes.reset();
  here.plan.start_path.reset();
  here.allows_non_finite = true;  // the board does not look either
  here.storage.path = scratch.folder();
  here.cache = {};
  here.checkpoint_path = scratch.checkpoint();
  return here;
}

Result<std::shared_ptr<const Dataset>> examples_of(const TrainRequest& training) {
  Result<Question> question = read_question(training.plan);
  if (!question.ok()) return question.error();
  const Result<StepForms> forms =
      step_forms({.question = *std::move(question), .micro_batches = training.micro_batches});
  if (!forms.ok()) return forms.error();
  Result<TrainingData> data = open_training_data(training, forms->wanted);
  if (!data.ok()) return data.error();
  return data->training;
}

// The outputs for the training's first examples, `bytes` of them, or as many as there are.
Result<std::string> predicted_here(const TrainRequest& training, std::size_t bytes,
                                   const Stop& stop) {
  Result<std::shared_ptr<const Dataset>> examples = examples_of(training);
  if (!examples.ok()) return examples.error();
  std::stop_source enough;
  const std::stop_callback passed_on(stop.token, [&enough] { enough.request_stop(); });
  Stop until_then = without_limit(stop);
  until_then.token = enough.get_token();
  std::string outputs;
  const Result<UseReport> report = predict_network(
      {.plan = training.plan,
       .micro_batches = training.micro_batches,
       .open_data = *std::move(examples),
       .order = {.sequence = ExampleSequence::Shuffled, .seed = training.seed},
       .checkpoint_path = training.checkpoint_path,
       .storage = training.storage,
       .non_finite = NonFinite::Taken},
      until_then, [&](const Prediction& batch) {
        outputs.append(reinterpret_cast<const char*>(batch.values.data()), batch.values.size());
        if (outputs.size() >= bytes) enough.request_stop();
        return Failure();
      });
  if (!report.ok()) return report.error();
  if (!report->no.empty()) return bad_input(report->no);
  outputs.resize(std::min(outputs.size(), bytes));
  return outputs;
}

std::int64_t count_different(std::string_view a, std::string_view b) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < a.size(); at += sizeof(float))
    count += a.substr(at, sizeof(float)) == b.substr(at, sizeof(float)) ? 0 : 1;
  return count;
}

}  // namespace

std::int64_t predicted_examples(const ExportRequest& request) {
  return request.prediction_batch_size ? request.training.plan.batch_size : 0;
}

Result<PredictionComparison> compare_predictions(const ExportRequest& request,
                                                 const ExportedPrediction& exported,
                                                 const BoardPredictions& predicted,
                                                 const Stop& stop) {
  const Scratch scratch(request.folder);
  const TrainRequest training = training_here(request, scratch);
  const Result<TrainReport> trained = train_network(training, without_limit(stop), {});
  if (!trained.ok()) return trained.error();
  if (!trained->no.empty()) return bad_input(trained->no);
  const std::int64_t example_bytes = exported.outputs * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t wanted_bytes = predicted_examples(request) * example_bytes;
  const Result<std::string> here =
      predicted_here(training, static_cast<std::size_t>(wanted_bytes), stop);
  if (!here.ok()) return here.error();
  if (stop.token.stop_requested())
    return bad_input("stopped before the board's predictions were compared");
  if (predicted.outputs.size() < here->size())
    return Error{ErrorCode::Unsupported,
                 fmt::format("the board predicted {} bytes, and {} were asked for",
                             predicted.outputs.size(), here->size()),
                 {}};
  return PredictionComparison{
      .examples = std::ssize(*here) / example_bytes,
      .outputs = exported.outputs,
      .different =
          count_different(*here, std::string_view(predicted.outputs).substr(0, here->size())),
      .instructions = predicted.instructions * static_cast<double>(exported.batch_size) /
                      static_cast<double>(predicted.examples)};
}

}  // namespace poet
