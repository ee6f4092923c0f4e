#include "poet/autodiff/parameter_choice.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/model/low_rank_adapters.h"
#include "poet/model/network_builder.h"

namespace poet {
namespace {

// An embedding, a layer norm, two linear layers, a vector added, and names to choose by.
Model network() {
  NetworkBuilder net;
  const TensorId tokens = add_input(net, "tokens", {ElementType::Int64, {2, 5}});
  const TensorId table = add_embedding_weight(net, "table", {10, 4});
  TensorId x = look_up(net, "look_up", table, tokens);
  const TensorId places = add_embedding_weight(net, "embeddings.position", {5, 4});
  x = apply(net, Operator::Add, "places", {x, places});
  x = layer_norm(net, "norm", x, 1e-5F);
  x = linear(net, "fc1", x, 3);
  x = apply(net, Operator::Add, "shift", {x, add_parameter(net, "offset", {3}, FilledWith{0})});
  add_output(net, "y", linear(net, "fc2", x, 2));
  return net.model;
}

std::string names_of(const Graph& graph, const Result<std::vector<bool>>& flags) {
  if (!flags.ok()) return flags.error().message;
  std::string names;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    if ((*flags)[i]) names += (names.empty() ? "" : " ") + graph.tensors[i].name;
  return names;
}

std::string chosen(std::string_view choice) {
  const Graph graph = network().graph;
  return names_of(graph, chosen_parameters(graph, choice));
}

std::string chosen_beside_adapters(std::string_view choice) {
  const Model model = *with_adapters(network(), {.rank = 1, .targets = "regex:fc1"}, 1);
  return names_of(model.graph, trained_parameters(model, choice));
}

TEST(ChosenParameters, AreThoseThatAreAskedFor) {
  EXPECT_EQ(chosen("all"),
            "table.weight embeddings.position.weight norm.weight norm.bias fc1.weight fc1.bias "
            "offset fc2.weight fc2.bias");
  EXPECT_EQ(chosen("encoder"),
            "norm.weight norm.bias fc1.weight fc1.bias offset fc2.weight fc2.bias");
  EXPECT_EQ(chosen("last:1"), "fc2.weight fc2.bias");
  EXPECT_EQ(chosen("last:3"), "fc1.weight fc1.bias offset fc2.weight fc2.bias");
  EXPECT_EQ(chosen("bias"), "norm.bias fc1.bias offset fc2.bias");
  EXPECT_EQ(chosen("norm"), "norm.weight norm.bias");
  EXPECT_EQ(chosen("regex:^fc[12]\\.w"), "fc1.weight fc2.weight");
  EXPECT_EQ(chosen("except:weight|^offset"), "norm.bias fc1.bias fc2.bias");
}

TEST(ChosenParameters, AreWhatSeveralChoicesChoose) {
  EXPECT_EQ(chosen("norm+last:1"), "norm.weight norm.bias fc2.weight fc2.bias");
  EXPECT_EQ(chosen("bias+regex:^fc2|x+"), "norm.bias fc1.bias offset fc2.weight fc2.bias");
  EXPECT_EQ(chosen("layers:fc2,table"), "table.weight fc2.weight fc2.bias");
  EXPECT_EQ(chosen("bias+layers:fc1,offset"), "norm.bias fc1.weight fc1.bias offset fc2.bias");
  EXPECT_EQ(chosen("layers:fc1,offset+bias"), chosen("bias+layers:fc1,offset"));
  EXPECT_EQ(chosen("layers:offset+last:1+layers:fc1"), chosen("layers:fc1,offset+last:1"));
}

TEST(ChosenParameters, TakeLayersOfAnyNames) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {1, 2}});
  const TensorId y = linear(net, "a", linear(net, "a,b+c", x, 2), 2);
  add_output(net, "y", linear(net, "b+c", y, 2));
  const Graph& graph = net.model.graph;
  const auto named = [&graph](std::string_view choice) {
    return names_of(graph, chosen_parameters(graph, choice));
  };
  EXPECT_EQ(layers_of(graph), (std::vector<std::string>{"a,b+c", "a", "b+c"}));
  EXPECT_EQ(named("layers:a,b+c"), "a,b+c.weight a,b+c.bias");
  EXPECT_EQ(named("layers:b+c,a"), "a.weight a.bias b+c.weight b+c.bias");
}

TEST(TrainedParameters, AreAdaptersAndWhatIsAddedToThem) {
  EXPECT_EQ(chosen_beside_adapters("all"), "fc1.lora_A.weight fc1.lora_B.weight");
  EXPECT_EQ(chosen_beside_adapters("norm"),
            "norm.weight norm.bias fc1.lora_A.weight fc1.lora_B.weight");
  // Adapters are no layer of their own, and no names to choose by.
  EXPECT_EQ(chosen_beside_adapters("last:1"),
            "fc2.weight fc2.bias fc1.lora_A.weight fc1.lora_B.weight");
  EXPECT_EQ(chosen_beside_adapters("regex:lora"),
            "'regex:lora' chooses none of the 9 parameters: they have names such as table.weight");
  const Model model = network();
  EXPECT_EQ(names_of(model.graph, trained_parameters(model, "norm")), "norm.weight norm.bias");
}

// Names come from files of strangers, patterns from requests.
TEST(ChosenParameters, ReadsNamesOfAnyLengthByAnyPattern) {
  Graph graph;
  add_tensor(graph, {.name = std::string(1'000'000, 'a'),
                     .type = {ElementType::Float32, {1}},
                     .role = TensorRole::Parameter,
                     .home = Home::Storage});
  EXPECT_TRUE(chosen_parameters(graph, "regex:^(a|b)*$").ok());
  EXPECT_EQ(
      chosen_parameters(graph, "regex:^(a+)+b$").error().message,
      "'regex:^(a+)+b$' does not choose the one parameter, " + one_line(graph.tensors[0].name));
  EXPECT_LT(one_line(graph.tensors[0].name).size(), 300U);
}

TEST(ChosenParameters, RefusesOtherWords) {
  EXPECT_EQ(chosen("encodr"), "cannot train 'encodr'; did you mean 'encoder'?");
  EXPECT_EQ(chosen("everything"),
            "cannot train 'everything': use all, encoder, last:N, bias, norm, unquantised, "
            "regex:PATTERN, except:PATTERN or layers:NAME,NAME");
  EXPECT_EQ(
      chosen("auto"),
      "--train auto is found out by 'poet train', and stands alone; say what is trained, such as "
      "what 'poet worth' says is worth it");
  EXPECT_EQ(chosen("bias+"),
            "cannot train nothing: use all, encoder, last:N, bias, norm, unquantised, "
            "regex:PATTERN, except:PATTERN or layers:NAME,NAME");
  EXPECT_EQ(chosen("bias+nrom"), "cannot train 'nrom'; did you mean 'norm'?");
  EXPECT_EQ(chosen("layers:fc1,fc3"),
            "no layer that has parameters is called 'fc3'; did you mean 'fc1'?");
  EXPECT_EQ(chosen("layers:"),
            "to train layers by their names, say which, such as layers:conv1,fc2");
  EXPECT_EQ(chosen("layers:convolution"),
            "no layer that has parameters is called 'convolution'; the first is 'table'");
  EXPECT_EQ(chosen("last:0"),
            "to train the last layers, say how many, at least 1, such as last:2, not last:0");
  EXPECT_EQ(chosen("last:2x"),
            "to train the last layers, say how many, at least 1, such as last:2, not last:2x");
  EXPECT_EQ(chosen("last:7"), "cannot train the last 7 layers: 6 have parameters");
  EXPECT_EQ(chosen("regex:("), "'(' is not a regular expression: missing ): (");
  EXPECT_EQ(chosen("regex:^(?!fc)"),
            "'^(?!fc)' is not a regular expression: it has '(?!', but look-around and "
            "back-references are not supported");
  EXPECT_EQ(chosen("regex:conv"),
            "'regex:conv' chooses none of the 9 parameters: they have names such as table.weight");
}

// Before there is a network: what no network can make right is refused, and nothing else.
TEST(ParameterChoice, IsCheckedWithoutANetwork) {
  for (const char* const right :
       {"all", "encoder", "last:3", "bias+last:2", "regex:a+b", "except:^conv", "bias+regex:x",
        "norm+layers:a+b,c", "layers:", "unquantised"})
    EXPECT_FALSE(check_parameter_choice(right)) << right;
  for (const char* const wrong : {"", "al", "auto", "last:", "last:0", "last:2x", "bias+", "+bias",
                                  "regex:(", "bias+except:[", "bias+auto", "all+nothing"})
    EXPECT_TRUE(check_parameter_choice(wrong)) << wrong;
  EXPECT_EQ(check_parameter_choice("regex:(")->message,
            "'(' is not a regular expression: missing ): (");
  EXPECT_EQ(check_parameter_choice("bais")->message, "cannot train 'bais'; did you mean 'bias'?");
}

TEST(ChosenParameters, RefusesANetworkWithout) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {2}});
  apply(net, Operator::Relu, "relu", {x});
  const Result<std::vector<bool>> flags = chosen_parameters(net.model.graph, "all");
  ASSERT_FALSE(flags.ok());
  EXPECT_EQ(flags.error().message, "the network has no parameters to train");
}

}  // namespace
}  // namespace poet
