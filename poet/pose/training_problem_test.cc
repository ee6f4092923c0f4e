#include "poet/pose/training_problem.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "poet/autodiff/order.h"
#include "poet/device/boards.h"
#include "poet/model/network_builder.h"
#include "poet/model/networks_for_tests.h"
#include "poet/model/real_networks.h"
#include "poet/problem/facts.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

Problem problem_of(const TrainingGraph& step) {
  Problem problem = *training_problem(step, *load_device("m4"), 1);
  problem.ram_budget_bytes = 1;
  const Failure failure = check_problem(problem);
  EXPECT_FALSE(failure) << failure->message;
  return problem;
}

// y = relu(x w), of which w is trained.
TrainingGraph one_layer(const TrainingOptions& options) {
  NetworkBuilder net;
  TensorId x = add_input(net, "x", {ElementType::Float32, {4, 5}});
  x = linear(net, "fc", x, 3, Bias::Without);
  x = reshape(net, "flat", x, {12});
  add_output(net, "y", apply(net, Operator::Relu, "relu", {x}));
  return *training_graph(net.model, options);
}

const Tensor& tensor(const Problem& problem, std::string_view name) {
  for (const Tensor& candidate : problem.tensors)
    if (candidate.name == name) return candidate;
  ADD_FAILURE() << "no tensor is called " << name;
  return problem.tensors.front();
}

const Operation& operation(const Problem& problem, std::string_view name) {
  for (const Operation& candidate : problem.operations)
    if (candidate.name == name) return candidate;
  ADD_FAILURE() << "no operation is called " << name;
  return problem.operations.front();
}

TEST(TrainingProblem, HasViewsUpdatesAndSharedPlaces) {
  const Problem problem = problem_of(one_layer({.loss = Loss::MeanSquaredError}));
  EXPECT_TRUE(operation(problem, "flat").view);
  const std::optional<TensorId> root = tensor(problem, "flat").view_of;
  ASSERT_TRUE(root);
  EXPECT_EQ(at(problem.tensors, *root).name, "fc");
  const Operation& relu = operation(problem, "relu");
  ASSERT_TRUE(relu.in_place);
  EXPECT_EQ(at(problem.tensors, relu.in_place->input).name, "flat");
  const Operation& update = operation(problem, "fc.weight.update");
  EXPECT_TRUE(update.once);
  ASSERT_TRUE(tensor(problem, "fc.weight.new").updates);
  EXPECT_EQ(at(problem.tensors, *tensor(problem, "fc.weight.new").updates).name, "fc.weight");
  EXPECT_EQ(tensor(problem, "fc.weight").home, Home::Storage);
  EXPECT_EQ(tensor(problem, "loss.grad").home, Home::Rom);
}

TEST(TrainingProblem, KeepsResidentsInPlaceAndLeavesExcludedOnesOut) {
  const Problem resident = problem_of(
      one_layer({.loss = Loss::MeanSquaredError, .parameters = ParameterPlace::Resident}));
  EXPECT_EQ(tensor(resident, "fc.weight.new").home, Home::Resident);
  EXPECT_EQ(tensor(resident, "fc.weight").size_bytes, 60);
  EXPECT_EQ(resident_bytes(resident), 60 + 32);
  const Problem excluded = problem_of(
      one_layer({.loss = Loss::MeanSquaredError, .parameters = ParameterPlace::Excluded}));
  EXPECT_EQ(resident_bytes(excluded), 32);
}

// Of 40 rows of 4 values 6 are looked up and updated, where they lie.
TEST(TrainingProblem, CountsWhatAnUpdateOfRowsReadsAndWrites) {
  NetworkBuilder net;
  const TensorId ids = add_input(net, "ids", {ElementType::Int64, {6}});
  const TensorId table = add_parameter(net, "table", {40, 4}, FilledWith{0.5});
  add_output(net, "y", linear(net, "fc", look_up(net, "words", table, ids), 3));
  const TrainingGraph step = *training_graph(net.model, {.loss = Loss::MeanSquaredError,
                                                         .parameters = ParameterPlace::Chosen,
                                                         .updates = Updates::Sliced});
  const Problem problem = problem_of(step);
  ASSERT_FALSE(check_problem(problem));
  const auto named = [&](const std::string& name) {
    return *std::find_if(problem.operations.begin(), problem.operations.end(),
                         [&](const Operation& operation) { return operation.name == name; });
  };
  const Operation update = named("table.update");
  EXPECT_TRUE(update.once);
  EXPECT_EQ(update.written_bytes, 6 * 4 * 4);
  EXPECT_EQ(update.workspace_bytes, 2 * 4 * 4);
  for (const TensorId input : update.inputs) EXPECT_NE(at(problem.tensors, input).name, "table");
  EXPECT_TRUE(named("words").once);
  EXPECT_FALSE(tensor(problem, "table").may_be_resident);
  EXPECT_EQ(tensor(problem, "table.new").size_bytes, 0);
  EXPECT_FALSE(tensor(problem, "table.new").updates);
}

TEST(TrainingProblem, OffersPlacesInRamWhereTheyAreChosen) {
  const auto offered = [](ParameterPlace place) {
    std::vector<std::string> names;
    for (const Tensor& tensor : problem_of(one_layer({.loss = Loss::MeanSquaredError,
                                .optimiser = Optimiser::Adam,
                                .parameters = place}))
                                    .tensors)
      if (tensor.may_be_resident) names.push_back(tensor.name);
    std::sort(names.begin(), names.end());
    return names;
  };
  EXPECT_EQ(
      offered(ParameterPlace::Chosen),
      (std::vector<std::string>{"fc.weight", "fc.weight.first_moment", "fc.weight.second_moment"}));
  EXPECT_EQ(offered(ParameterPlace::Planned), std::vector<std::string>());
  EXPECT_EQ(offered(ParameterPlace::Resident), std::vector<std::string>());
}

TEST(TrainingProblem, FillsAnAccumulatorOnce) {
  const Problem problem = problem_of(
      one_layer({.loss = Loss::MeanSquaredError, .form = StepForm::First, .micro_batches = 2}));
  EXPECT_TRUE(problem.operations.back().once);
  EXPECT_TRUE(tensor(problem, "fc.weight.grad").updates);
}

// A sum has the size of its smaller operand only when both are rounded up: it must not be written
// over that.
TEST(TrainingProblem, RoundsSizesUpWithoutSharingMore) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {4, 3}});
  TensorId y = linear(net, "fc", x, 3, Bias::Without);
  const TensorId mean = linear(net, "mean", y, 1, Bias::Without);
  y = apply(net, Operator::Add, "add", {apply(net, Operator::Relu, "relu", {mean}), y});
  add_output(net, "y", y);
  const TrainingGraph step = *training_graph(net.model, {.loss = Loss::MeanSquaredError});
  const Problem exact = *training_problem(step, *load_device("m4"), 1);
  const Problem rounded = *training_problem(step, *load_device("m4"), 1, 64);
  EXPECT_EQ(tensor(exact, "relu").size_bytes, 16);
  EXPECT_EQ(tensor(rounded, "relu").size_bytes, 64);
  EXPECT_EQ(tensor(rounded, "add").size_bytes, 64);
  for (std::size_t v = 0; v < exact.operations.size(); ++v)
    EXPECT_EQ(exact.operations[v].in_place, rounded.operations[v].in_place);
  const std::optional<InPlace> shared = operation(rounded, "add").in_place;
  EXPECT_FALSE(shared && at(rounded.tensors, shared->input).name == "relu");
}

// Two counts of RAM that know nothing of each other.
TEST(TrainingProblem, HasThePlainPeakThatTheOrderWasChosenBy) {
  const std::vector<std::string_view> forms = testing::networks_of_every_form();
  // Adam's states lie wherever those of others do, and weights wherever they do in one place:
  // sanitizers see no more without them.
  std::vector<Optimiser> optimisers = {Optimiser::Adam};
  if (!testing::kUnderSanitizers) optimisers.push_back(Optimiser::Sgd);
  std::vector<ParameterPlace> places = {kParameterPlaces[0].value};
  if (!testing::kUnderSanitizers) {
    places.clear();
    for (const Named<ParameterPlace>& place : kParameterPlaces) places.push_back(place.value);
  }
  for (const RealNetwork& row : real_network_table()) {
    if (std::find(forms.begin(), forms.end(), row.name) == forms.end()) continue;
    SCOPED_TRACE(row.name);
    NetworkOptions sizes{.batch_size = 2};
    if (row.image_size) sizes.image_size = std::max<std::int64_t>(32, row.least_image_size);
    if (row.sequence_length) sizes.sequence_length = 8;
    const Model model = *real_network(row.name, sizes);
    for (const ParameterPlace place : places)
      for (const Optimiser optimiser : optimisers) {
        TrainingGraph step = *training_graph(model, {.optimiser = optimiser, .parameters = place});
        EXPECT_EQ(plain_peak_bytes(problem_of(step)),
                  find_order(step_memory(step), {}).figures.naive_peak_bytes);
        const OrderFigures figures = reorder(step);
        EXPECT_EQ(plain_peak_bytes(problem_of(step)), figures.peak_bytes);
      }
  }
}

}  // namespace
}  // namespace poet
