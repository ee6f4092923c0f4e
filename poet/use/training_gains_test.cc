#include "poet/use/training_gains.h"

#include <gtest/gtest.h>

#include <string>

#include "poet/autodiff/parameter_choice.h"
#include "poet/model/network_builder.h"

namespace poet {
namespace {

Graph two_layers() {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {2, 3}});
  add_output(net, "y", linear(net, "fc2", linear(net, "fc1", x, 4), 2));
  return net.model.graph;
}

double gain(const std::string& members, const std::string& train) {
  const Graph graph = two_layers();
  const Result<TrainingGains> gains = parse_gains(
      R"({"format": "poet-gains", "version": 1, "gains": {)" + members + "}}", "g.json", graph);
  return gains.ok() ? gain_of(*gains, graph, *chosen_parameters(graph, train)) : -1;
}

std::string refusal(const std::string& text) {
  const Result<TrainingGains> gains = parse_gains(text, "g.json", two_layers());
  return gains.ok() ? "none" : to_string(gains.error());
}

TEST(TrainingGains, OfALayerCountWhereAllOfItIsTrained) {
  const std::string both = R"("fc1": 3, "fc2.bias": 0.5, "fc2": 2)";
  EXPECT_EQ(gain(both, "all"), 5.5);
  EXPECT_EQ(gain(both, "last:1"), 2.5);
  EXPECT_EQ(gain(both, "bias"), 0.5);
  EXPECT_EQ(gain(both, "bias+layers:fc1"), 3.5);
  EXPECT_EQ(gain(R"("fc1": -1)", "all"), -1);
  EXPECT_EQ(gain("", "all"), 0);
}

TEST(TrainingGains, AreRefusedWithTheirPlace) {
  EXPECT_EQ(refusal(R"({"format": "poet-gains", "version": 1, "gains": {"fc3": 1}})"),
            "g.json:1:57: no layer and no parameter is called 'fc3'; did you mean 'fc1'?");
  EXPECT_EQ(refusal(R"({"format": "poet-gains", "version": 1, "gains": 1})"),
            "g.json:1:49: 'gains' must be an object of names and numbers");
  EXPECT_EQ(refusal(R"({"format": "poet-gains", "version": 1, "gains": {"fc1": "1"}})"),
            "g.json:1:57: 'fc1' must be a number, found \"1\"");
  EXPECT_EQ(
      refusal(R"({"format": "poet-gains", "version": 1, "gains": {"fc1": 1e308, "fc2": -1e308}})"),
      "g.json:1:49: the gains add up to more than a number can be");
}

TEST(TrainingGains, AreReadAsTheyWereWritten) {
  const Graph graph = two_layers();
  TrainingGains gains{.source = "here"};
  gains.parameters = {{"fc1.bias", 0.1}, {"fc2.weight", 1e-30}};
  gains.layers = {{"fc1", 7}};
  const Result<TrainingGains> again = parse_gains(gains_text(gains), "g.json", graph);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->parameters, gains.parameters);
  EXPECT_EQ(again->layers, gains.layers);
}

}  // namespace
}  // namespace poet
