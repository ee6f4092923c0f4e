#include "poet/model/tape.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TensorId tensor(std::int32_t id) {
  return TensorId{id};
}

// "name: what it reads", one line each, of the backward pass.
std::string backward_pass(const Outline& graph) {
  std::string text;
  for (const OutlineOperation& operation : graph.operations) {
    if (!operation.backward) continue;
    text += operation.name + ":";
    for (const TensorId input : operation.inputs) text += " " + at(graph.tensors, input).name;
    text += "\n";
  }
  return text;
}

Layer layer(std::string name, std::vector<TensorId> inputs, GradientReads reads) {
  return {.name = std::move(name),
          .kind = LayerKind::Relu,
          .inputs = std::move(inputs),
          .shape = {4},
          .flop = 1,
          .reads = reads,
          .input_gradient_flop = 10};
}

Layer trained(std::string name, std::vector<TensorId> inputs, GradientReads reads) {
  Layer one = layer(std::move(name), std::move(inputs), reads);
  one.weight_gradient_flop = 100;
  one.parameter_count = 5;
  return one;
}

TEST(Tape, EachGradientReadsTheNextOneAndWhatItsLayerNeeds) {
  Tape tape("net");
  const TensorId x = tape.input("x", {4});
  const TensorId a = tape.add(trained("a", {x}, GradientReads::Input));
  const TensorId b = tape.add(layer("b", {a}, GradientReads::Output));
  const TensorId c = tape.add(layer("c", {b}, GradientReads::InputAndOutput));
  const TensorId d = tape.add(layer("d", {c}, GradientReads::Nothing));
  tape.add(layer("loss", {d}, GradientReads::Input));
  EXPECT_EQ(backward_pass(std::move(tape).differentiate()),
            "loss_grad: d\n"
            "d_grad: loss_grad\n"
            "c_grad: d_grad b c\n"
            "b_grad: c_grad b\n"
            "a_grad: b_grad x\n");
}

TEST(Tape, AddsUpTheGradientsOfEveryReader) {
  Tape tape("net");
  const TensorId x = tape.input("x", {4});
  const TensorId a = tape.add(trained("a", {x}, GradientReads::Input));
  const TensorId b = tape.add(layer("b", {a}, GradientReads::Output));
  const TensorId c = tape.add(layer("c", {a}, GradientReads::Output));
  const TensorId d = tape.add(layer("d", {c, b}, GradientReads::OtherInput));
  Layer sum = layer("sum", {d, a}, GradientReads::Nothing);
  sum.gradient = GradientWork::PassedThrough;
  const TensorId e = tape.add(sum);
  tape.add(layer("loss", {e}, GradientReads::Input));
  EXPECT_EQ(backward_pass(std::move(tape).differentiate()),
            "loss_grad: sum\n"
            "d_grad_0: loss_grad b\n"
            "d_grad_1: loss_grad c\n"
            "c_grad: d_grad_0 c\n"
            "a_grad_sum_2: loss_grad c_grad\n"
            "b_grad: d_grad_1 b\n"
            "a_grad_sum_3: a_grad_sum_2 b_grad\n"
            "a_grad: a_grad_sum_3 x\n");
}

TEST(Tape, ReadsNothingBelowTheFirstParameters) {
  Tape tape("net");
  const TensorId x = tape.input("x", {4});
  const TensorId a = tape.add(layer("a", {x}, GradientReads::Input));
  const TensorId b = tape.add(trained("b", {a}, GradientReads::Input));
  tape.add(layer("loss", {b}, GradientReads::Input));
  const Outline graph = std::move(tape).differentiate();
  EXPECT_EQ(backward_pass(graph), "loss_grad: b\nb_grad: loss_grad a\n");
  EXPECT_EQ(graph.tensors.back().shape, Shape{});
  EXPECT_EQ(graph.operations.back().flop, 100);
}

TEST(Tape, GivesGradientsTheShapeAndTheWorkOfTheirLayer) {
  Tape tape("net");
  const TensorId x = tape.input("x", {4});
  const TensorId a = tape.add(trained("a", {x}, GradientReads::Input));
  Layer wide = trained("b", {a}, GradientReads::Input);
  wide.shape = {2, 8};
  const TensorId b = tape.add(wide);
  tape.add(layer("loss", {b}, GradientReads::Input));
  const Outline graph = std::move(tape).differentiate();
  ASSERT_EQ(graph.operations.size(), 7u);
  EXPECT_EQ(graph.operations[1], (OutlineOperation{.name = "a",
                                                   .kind = LayerKind::Relu,
                                                   .inputs = {x},
                                                   .outputs = {a},
                                                   .flop = 1,
                                                   .parameter_bytes = 20}));
  EXPECT_EQ(graph.operations[5], (OutlineOperation{.name = "b_grad",
                                                   .kind = LayerKind::Gradient,
                                                   .inputs = {tensor(4), a},
                                                   .outputs = {tensor(5)},
                                                   .flop = 110,
                                                   .backward = true}));
  EXPECT_EQ(graph.tensors[4].shape, (Shape{2, 8}));
  EXPECT_EQ(graph.tensors[5].shape, Shape{4});
}

}  // namespace
}  // namespace poet
