#include "poet/use/training_choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "poet/autodiff/parameter_choice.h"
#include "poet/model/network_builder.h"

namespace poet {
namespace {

// Layers a, norm, b, c.
Model network() {
  NetworkBuilder net;
  TensorId x = add_input(net, "x", {ElementType::Float32, {2, 3}});
  x = linear(net, "a", x, 4);
  x = layer_norm(net, "norm", x, 1e-5F);
  x = linear(net, "b", x, 5);
  add_output(net, "y", linear(net, "c", x, 2));
  return net.model;
}

TrainingGains gains() {
  TrainingGains gains{.source = "here"};
  gains.parameters = {{"a.weight", 8}, {"a.bias", 1},    {"norm.weight", 2}, {"norm.bias", 0.5},
                      {"b.weight", 4}, {"b.bias", 0.25}, {"c.weight", 16},   {"c.bias", 0.125}};
  return gains;
}

std::string texts(const std::vector<TrainingChoice>& choices) {
  std::string text;
  for (const TrainingChoice& choice : choices) {
    text += choice.train + " =";
    for (const std::string_view way : choice.ways) text += " " + std::string(way) + ",";
    text += " " + std::to_string(choice.values) + " values\n";
  }
  return text;
}

TEST(TrainingChoices, AreOfEveryWayAndEachOnce) {
  EXPECT_EQ(texts(training_choices(network(), gains(), 9)),
            "all = last, bias+last, by gain, 61 values\n"
            "bias = bias+last, 15 values\n"
            "norm = norm, 8 values\n"
            "last:1 = last, by gain, 12 values\n"
            "last:2 = last, 37 values\n"
            "last:3 = last, 45 values\n"
            "bias+last:1 = bias+last, 25 values\n"
            "bias+last:2 = bias+last, 45 values\n"
            "bias+last:3 = bias+last, 49 values\n"
            "layers:a,c = by gain, 28 values\n"
            "layers:a,b,c = by gain, 53 values\n");
}

TEST(TrainingChoices, AreNoMoreThanThereAre) {
  EXPECT_EQ(texts(training_choices(network(), gains(), std::int64_t{1} << 62)),
            texts(training_choices(network(), gains(), 9)));
}

TEST(TrainingChoices, AreFewerWhereFewAreWanted) {
  EXPECT_EQ(texts(training_choices(network(), gains(), 2)),
            "all = last, bias+last, by gain, 61 values\n"
            "bias = bias+last, 15 values\n"
            "norm = norm, 8 values\n"
            "last:1 = last, by gain, 12 values\n"
            "bias+last:1 = bias+last, 25 values\n");
}

TEST(TrainingChoices, GainTheSumOfWhatIsTrained) {
  for (const TrainingChoice& choice : training_choices(network(), gains(), 9)) {
    const Model model = network();
    const std::vector<bool> trained = *trained_parameters(model, choice.train);
    double sum = 0;
    for (std::size_t i = 0; i < trained.size(); ++i)
      if (trained[i]) sum += gains().parameters.at(model.graph.tensors[i].name);
    EXPECT_EQ(choice.gain, sum) << choice.train;
  }
}

// The layers of a network with many, and what they gain and weigh, at random.
struct Weighed {
  Model model = {};
  TrainingGains gains = {};
  std::vector<std::int64_t> weights = {};
};

Weighed weighed(std::uint64_t seed, int layers) {
  std::mt19937_64 draw(seed);
  NetworkBuilder net;
  TensorId x = add_input(net, "x", {ElementType::Float32, {1, 2}});
  Weighed made;
  for (int k = 0; k < layers; ++k) {
    const std::string name = "fc" + std::to_string(k);
    x = linear(net, name, x, 2);
    made.gains.layers[name] = static_cast<double>(draw() % 20);
    made.weights.push_back(static_cast<std::int64_t>(draw() % 9 + 1));
  }
  add_output(net, "y", x);
  made.model = net.model;
  return made;
}

std::int64_t weight_of(const Weighed& all, const std::string& train) {
  const std::vector<bool> trained = *trained_parameters(all.model, train);
  std::set<std::string> layers;
  for (std::size_t i = 0; i < trained.size(); ++i)
    if (trained[i]) layers.insert(layer_of(all.model.graph.tensors[i]));
  std::int64_t sum = 0;
  for (const std::string& layer : layers)
    sum += all.weights[static_cast<std::size_t>(std::stoi(layer.substr(2)))];
  return sum;
}

// One layer after the other, each alone: what galloping must come to.
std::string by_one_at_a_time(const Weighed& all, std::int64_t limit) {
  std::vector<std::string> taken;
  for (const LayerGain& layer : layer_gains(all.model, all.gains)) {
    if (!(layer.gain > 0)) continue;
    std::vector<std::string> more = taken;
    more.push_back(layer.layer);
    std::string train = "layers:";
    for (const std::string& name : more) train += (train.back() == ':' ? "" : ",") + name;
    if (weight_of(all, train) <= limit) taken = more;
  }
  std::sort(taken.begin(), taken.end(), [](const std::string& a, const std::string& b) {
    return std::stoi(a.substr(2)) < std::stoi(b.substr(2));
  });
  std::string train = "layers:";
  for (const std::string& name : taken) train += (train.back() == ':' ? "" : ",") + name;
  return taken.empty() ? "nothing" : train;
}

TEST(GreedyChoice, TakesWhatOneLayerAtATimeWould) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Weighed all = weighed(seed, static_cast<int>(seed % 13) + 1);
    const auto limit = static_cast<std::int64_t>(seed * 7 % 40);
    std::int64_t asked = 0;
    const auto choice =
        greedy_choice(all.model, all.gains, 1000, [&](const std::string& train) -> Result<bool> {
          ++asked;
          return weight_of(all, train) <= limit;
        });
    ASSERT_TRUE(choice.ok());
    EXPECT_EQ(*choice ? (*choice)->train : "nothing", by_one_at_a_time(all, limit));
    EXPECT_LE(asked, 40);
  }
}

TEST(GreedyChoice, AsksForFewSetsWhereAllFit) {
  const Weighed all = weighed(3, 100);
  std::int64_t asked = 0;
  const auto choice =
      greedy_choice(all.model, all.gains, 1000, [&](const std::string&) -> Result<bool> {
        ++asked;
        return true;
      });
  ASSERT_TRUE(choice.ok() && *choice);
  EXPECT_LE(asked, 16);
}

TEST(GreedyChoice, KeepsToItsTriesAndTakesOnlyWhatWasFoundToFit) {
  const Weighed all = weighed(5, 12);
  for (std::int64_t tries = 0; tries < 12; ++tries) {
    std::set<std::string> fitting;
    std::int64_t asked = 0;
    const auto choice =
        greedy_choice(all.model, all.gains, tries, [&](const std::string& train) -> Result<bool> {
          ++asked;
          const bool fits = weight_of(all, train) <= 17;
          if (fits) fitting.insert(train);
          return fits;
        });
    ASSERT_TRUE(choice.ok());
    EXPECT_LE(asked, tries);
    EXPECT_EQ(choice->has_value(), !fitting.empty());
    if (!*choice) continue;
    EXPECT_TRUE(fitting.contains((*choice)->train)) << (*choice)->train;
  }
}

TEST(GreedyChoice, HandsOnWhatIsRefused) {
  const Weighed all = weighed(1, 3);
  const auto choice =
      greedy_choice(all.model, all.gains, 9,
                    [](const std::string&) -> Result<bool> { return bad_input("no such device"); });
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().message, "no such device");
}

}  // namespace
}  // namespace poet
