// Training steps in parts against the same steps whole: the loss and every new value, to the bit.

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "poet/autodiff/joined_updates.h"
#include "poet/autodiff/order.h"
#include "poet/graph/tensor_piece.h"
#include "poet/kernels/evaluate.h"
#include "poet/model/real_networks.h"
#include "poet/parts/step_in_parts.h"
#include "poet/runtime/counter_random.h"
#include "support/random_cases.h"
#include "support/training_runs.h"

namespace poet {
namespace {

using TensorValues = std::map<TensorId, TensorValue>;

TensorValues given_values(const TrainingGraph& step) {
  TensorValues values;
  for (std::size_t i = 0; i < step.graph.tensors.size(); ++i) {
    const auto id = static_cast<TensorId>(i);
    const GraphTensor& tensor = step.graph.tensors[i];
    if (tensor.home == Home::Made) continue;
    TensorValue& value = values[id];
    value.type = tensor.type;
    if (tensor.role == TensorRole::Input) {
      value.bytes = testing::input_value(tensor, 1, 0);
    } else if (tensor.role == TensorRole::Step) {
      const poet_step_words words = testing::step_words(1, 0);
      value.bytes.resize(sizeof words);
      std::memcpy(value.bytes.data(), &words, sizeof words);
    } else {
      value.bytes = initial_bytes(step.initial.at(id), tensor.type);
    }
  }
  return values;
}

TensorValue piece_of(const TensorValue& whole, const std::vector<Range>& piece) {
  TensorValue value{.type = whole.type};
  for (std::size_t d = 0; d < piece.size(); ++d) value.type.shape[d] = piece[d].extent();
  const std::int64_t size = byte_size(whole.type.element);
  value.bytes.resize(static_cast<std::size_t>(size_bytes(value.type)));
  for_each_run(whole.type.shape, piece, [&](const RunOfValues& run) {
    std::memcpy(value.bytes.data() + run.in_piece * size, whole.bytes.data() + run.in_whole * size,
                static_cast<std::size_t>(run.count * size));
  });
  return value;
}

std::vector<TensorId> wanted_of(const TrainingGraph& step) {
  std::vector<TensorId> wanted = step.graph.outputs;
  for (const Replacement& replacement : step.replacements) wanted.push_back(replacement.new_value);
  return wanted;
}

TensorValues evaluated(const TrainingGraph& step, const TensorValues& given) {
  std::map<TensorId, TensorView> views;
  for (const auto& [id, value] : given) views[id] = view_of(value);
  const std::vector<TensorId> wanted = wanted_of(step);
  const Result<std::vector<TensorValue>> made = evaluate(step.graph, views, wanted);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  TensorValues values;
  if (!made.ok()) return values;
  for (std::size_t k = 0; k < wanted.size(); ++k) values[wanted[k]] = (*made)[k];
  return values;
}

void expect_same_bits(const TrainingGraph& whole, std::int64_t most_bytes) {
  const Result<StepInParts> parts = step_in_parts(whole, most_bytes);
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  EXPECT_GT(parts->step.graph.operations.size(), whole.graph.operations.size());
  const Failure broken = check_graph(parts->step.graph);
  ASSERT_FALSE(broken) << broken->message;
  const TensorValues given = given_values(whole);
  TensorValues given_pieces;
  for (std::size_t i = 0; i < parts->pieces.size(); ++i) {
    const GraphTensor& tensor = parts->step.graph.tensors[i];
    if (tensor.home == Home::Made) continue;
    ASSERT_TRUE(parts->pieces[i]);
    const auto id = static_cast<TensorId>(i);
    const auto whole_value = given.find(parts->pieces[i]->tensor);
    if (whole_value == given.end()) {  // a number that only the stages of an operation have
      given_pieces[id] = {tensor.type, initial_bytes(parts->step.initial.at(id), tensor.type)};
      continue;
    }
    given_pieces[id] = piece_of(whole_value->second, parts->pieces[i]->values);
    if (const auto initial = parts->step.initial.find(id); initial != parts->step.initial.end()) {
      EXPECT_EQ(initial_bytes(initial->second, tensor.type), given_pieces[id].bytes) << tensor.name;
    }
  }
  const TensorValues expected = evaluated(whole, given);
  for (const auto& [id, value] : evaluated(parts->step, given_pieces)) {
    const std::optional<PieceOf>& piece = parts->pieces[static_cast<std::size_t>(index_of(id))];
    ASSERT_TRUE(piece);
    EXPECT_EQ(value.bytes, piece_of(expected.at(piece->tensor), piece->values).bytes)
        << at(parts->step.graph.tensors, id).name;
  }
}

struct PartsCase {
  std::string_view network;
  NetworkOptions sizes;
  Optimiser optimiser = Optimiser::Sgd;
  std::int64_t most_bytes = 0;
  Loss loss = Loss::CrossEntropy;
  float label_smoothing = 0;
};

std::ostream& operator<<(std::ostream& out, const PartsCase& row) {
  return out << row.network << " in " << row.most_bytes;
}

class PartsBits : public ::testing::TestWithParam<PartsCase> {};

TEST_P(PartsBits, AreThoseOfTheWhole) {
  const Result<Model> model = real_network(GetParam().network, GetParam().sizes);
  ASSERT_TRUE(model.ok()) << model.error().message;
  Result<TrainingGraph> step =
      training_graph(*model, {.loss = GetParam().loss,
                              .label_smoothing = GetParam().label_smoothing,
                              .optimiser = GetParam().optimiser,
                              .updates = Updates::Separate});
  ASSERT_TRUE(step.ok()) << step.error().message;
  reorder(*step);
  expect_same_bits(*step, GetParam().most_bytes);
}

// Batch norms and dropouts, several samples, strides, tables, and levels that cut rows of pictures
// and columns of layer norms; losses by labels, of pixels too, and by classes, and losses of
// values. Under sanitizers an operation takes forty times as long, and what they look for, a place
// outside its values, does not depend on how often a network is cut: there are fewer of them, with
// smaller batches and larger parts.
std::vector<PartsCase> parts_cases() {
  if (testing::kUnderSanitizers)
    return {
        {"lenet5", {.batch_size = 6}, Optimiser::Adam, 7'000},
        {"resnet8", {.batch_size = 2}, Optimiser::Momentum, 65'536},
        {"mobilenetv2", {.image_size = 32}, Optimiser::Sgd, 65'536},
        {"bert-tiny",
         {.batch_size = 2, .sequence_length = 16, .dropout_probability = 0.1F},
         Optimiser::AdamW,
         200'000},
        {"gpt2-tiny", {.sequence_length = 6}, Optimiser::Adam, 600'000, Loss::CrossEntropy, 0.1F},
        {"unet", {.image_size = 32}, Optimiser::Momentum, 1'200'000},
        {"lenet5", {.batch_size = 12}, Optimiser::Sgd, 10'000, Loss::MeanSquaredError},
        {"mlp", {.batch_size = 60}, Optimiser::Sgd, 20'000, Loss::BinaryCrossEntropy}};
  return {{"lenet5", {.batch_size = 6}, Optimiser::Sgd, 16'384},
          {"lenet5", {.batch_size = 6}, Optimiser::Adam, 7'000},
          {"resnet8", {.batch_size = 2}, Optimiser::Momentum, 65'536},
          {"resnet8", {.batch_size = 3}, Optimiser::Sgd, 12'000},
          {"resnet18", {.image_size = 32}, Optimiser::Sgd, 131'072},
          {"resnet18", {.image_size = 64}, Optimiser::Sgd, 40'000},
          {"mobilenetv2", {.image_size = 32}, Optimiser::Sgd, 65'536},
          {"bert-tiny",
           {.batch_size = 2, .sequence_length = 16, .dropout_probability = 0.1F},
           Optimiser::AdamW,
           200'000},
          {"bert-tiny", {.sequence_length = 24}, Optimiser::Sgd, 20'000},
          {"gpt2-tiny", {.sequence_length = 12}, Optimiser::Sgd, 400'000},
          {"gpt2-tiny", {.sequence_length = 6}, Optimiser::Adam, 150'000, Loss::CrossEntropy, 0.1F},
          {"unet", {.image_size = 32, .classes = 3}, Optimiser::Sgd, 200'000},
          {"unet", {.image_size = 32}, Optimiser::Momentum, 300'000},
          {"mlp", {.batch_size = 64}, Optimiser::Sgd, 60'000},
          {"mlp", {.batch_size = 700}, Optimiser::Sgd, 20'000},
          {"lenet5", {.batch_size = 200}, Optimiser::Sgd, 10'000, Loss::MeanSquaredError},
          {"mlp", {.batch_size = 700}, Optimiser::Sgd, 20'000, Loss::BinaryCrossEntropy}};
}

// A table of which only the rows that occur are updated: whole as without that, and in parts.
TEST(PartsBits, AreThoseOfTheWholeWithUpdatesOfRows) {
  const Result<Model> model = real_network("bert-tiny", {.batch_size = 2, .sequence_length = 24});
  ASSERT_TRUE(model.ok()) << model.error().message;
  Result<TrainingGraph> step =
      training_graph(*model, {.optimiser = Optimiser::Sgd, .updates = Updates::Separate});
  ASSERT_TRUE(step.ok()) << step.error().message;
  reorder(*step);
  const TrainingGraph rows = with_row_updates(*step);
  EXPECT_EQ(rows.graph.operations.size() + 1, step->graph.operations.size());
  const TensorValues separate = evaluated(*step, given_values(*step));
  const TensorValues joined = evaluated(rows, given_values(rows));
  ASSERT_EQ(separate.size(), joined.size());
  for (std::size_t k = 0; k < rows.replacements.size(); ++k)
    EXPECT_EQ(separate.at(step->replacements[k].new_value).bytes,
              joined.at(rows.replacements[k].new_value).bytes)
        << at(rows.graph.tensors, rows.replacements[k].old_value).name;
  expect_same_bits(rows, testing::kUnderSanitizers ? 60'000 : 20'000);
}

INSTANTIATE_TEST_SUITE_P(Networks, PartsBits, ::testing::ValuesIn(parts_cases()));

}  // namespace
}  // namespace poet
