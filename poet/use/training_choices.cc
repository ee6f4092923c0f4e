#include "poet/use/training_choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "poet/autodiff/parameter_choice.h"

namespace poet {
namespace {

// Sizes from 1 to `all`, at most so many, each about as many times the one before.
std::vector<std::int64_t> ladder(std::int64_t all, std::int64_t most) {
  std::vector<std::int64_t> sizes;
  if (most >= all) {
    sizes.resize(static_cast<std::size_t>(all));
    std::iota(sizes.begin(), sizes.end(), 1);
    return sizes;
  }
  for (std::int64_t k = 0; k < most; ++k) {
    const double part = most > 1 ? static_cast<double>(k) / static_cast<double>(most - 1) : 1;
    const auto size =
        static_cast<std::int64_t>(std::llround(std::pow(static_cast<double>(all), part)));
    if (sizes.empty() || size > sizes.back()) sizes.push_back(size);
  }
  return sizes;
}

TrainingChoice choice_of(const Model& model, const TrainingGains& gains, std::string train,
                         const std::vector<bool>& trained) {
  TrainingChoice choice{.train = std::move(train), .gain = gain_of(gains, model.graph, trained)};
  for (std::size_t i = 0; i < trained.size(); ++i)
    if (trained[i]) choice.values += value_count(model.graph.tensors[i].type.shape);
  return choice;
}

// Of the parameters that are flagged, those that are not of adapters.
std::vector<bool> without_adapters(const Model& model, std::vector<bool> flags) {
  for (const Adapter& adapter : model.adapters)
    for (const TensorId part : {adapter.down, adapter.up})
      flags[static_cast<std::size_t>(index_of(part))] = false;
  return flags;
}

// In the order of the network, and without adapters.
std::vector<std::string> layers_of_the_network(const Model& model) {
  Graph base = model.graph;
  for (const Adapter& adapter : model.adapters)
    for (const TensorId part : {adapter.down, adapter.up})
      at(base.tensors, part).role = TensorRole::Constant;
  return layers_of(base);
}

// Each choice once, under the first words that say it.
class Choices {
 public:
  Choices(const Model& model, const TrainingGains& gains) : model_(model), gains_(gains) {}

  void add(std::string_view way, const std::string& train) {
    const Result<std::vector<bool>> trained = trained_parameters(model_, train);
    if (!trained.ok()) return;  // there are none of these, or they are quantised
    const auto [known, is_new] = places_.emplace(*trained, choices_.size());
    if (is_new) choices_.push_back(choice_of(model_, gains_, train, *trained));
    std::vector<std::string_view>& ways = choices_[known->second].ways;
    if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
  }

  std::vector<TrainingChoice> take() { return std::move(choices_); }

 private:
  const Model& model_;
  const TrainingGains& gains_;
  std::map<std::vector<bool>, std::size_t> places_ = {};
  std::vector<TrainingChoice> choices_ = {};
};

// "layers:a,b", in the order of the network.
std::string layers_text(const Model& model, const std::vector<LayerGain>& layers) {
  std::set<std::string> wanted;
  for (const LayerGain& layer : layers) wanted.insert(layer.layer);
  std::vector<std::string> names;
  for (std::string& name : layers_of_the_network(model))
    if (wanted.contains(name)) names.push_back(std::move(name));
  return fmt::format("layers:{}", fmt::join(names, ","));
}

// The greedy walk: what was taken, and how often it may still ask.
class GreedyWalk {
 public:
  GreedyWalk(const Model& model, std::vector<LayerGain> layers, std::int64_t most_tries,
             const FitsLimits& fits)
      : model_(model), layers_(std::move(layers)), tries_left_(most_tries), fits_(fits) {}

  Result<std::vector<LayerGain>> run() {
    while (next_ < layers_.size() && tries_left_ > 0) {
      const Result<std::size_t> count = longest_run();
      if (!count.ok()) return count.error();
      taken_.insert(taken_.end(), at(next_), at(next_ + *count));
      next_ += *count + 1;  // behind these, one that does not fit
    }
    return std::move(taken_);
  }

 private:
  std::vector<LayerGain>::const_iterator at(std::size_t place) const {
    return layers_.begin() + static_cast<std::ptrdiff_t>(place);
  }

  // Whether so many of the next layers fit beside what was taken.
  Result<bool> fits(std::size_t count) {
    if (count > layers_.size() - next_ || tries_left_ == 0) return false;
    --tries_left_;
    std::vector<LayerGain> set = taken_;
    set.insert(set.end(), at(next_), at(next_ + count));
    return fits_(layers_text(model_, set));
  }

  Result<std::size_t> longest_run() {
    std::size_t run = 0;
    std::size_t more = 1;
    for (bool doubling = true; more > 0;) {
      const Result<bool> fit = fits(run + more);
      if (!fit.ok()) return fit.error();
      if (*fit) run += more;
      doubling = doubling && *fit;
      more = doubling ? 2 * more : more / 2;
    }
    return run;
  }

  const Model& model_;
  std::vector<LayerGain> layers_;
  std::int64_t tries_left_ = 0;
  const FitsLimits& fits_;
  std::vector<LayerGain> taken_ = {};
  std::size_t next_ = 0;
};

}  // namespace

std::vector<LayerGain> layer_gains(const Model& model, const TrainingGains& gains) {
  std::vector<LayerGain> layers;
  for (const std::string& name : layers_of_the_network(model)) {
    const std::string train = "layers:" + name;
    const Result<std::vector<bool>> trained = trained_parameters(model, train);
    if (!trained.ok()) continue;
    const TrainingChoice choice = choice_of(model, gains, train, without_adapters(model, *trained));
    layers.push_back({name, choice.values, choice.gain});
  }
  std::stable_sort(layers.begin(), layers.end(),
                   [](const LayerGain& a, const LayerGain& b) { return a.gain > b.gain; });
  return layers;
}

std::vector<TrainingChoice> training_choices(const Model& model, const TrainingGains& gains,
                                             std::int64_t most_of_a_way) {
  Choices choices(model, gains);
  const std::vector<LayerGain> layers = layer_gains(model, gains);
  const auto all = static_cast<std::int64_t>(layers_of_the_network(model).size());
  choices.add(kLastLayers, "all");
  choices.add(kBiasAndLast, "bias");
  choices.add(kNorms, "norm");
  for (const std::int64_t size : ladder(all, most_of_a_way))
    choices.add(kLastLayers, fmt::format("last:{}", size));
  for (const std::int64_t size : ladder(all, most_of_a_way))
    choices.add(kBiasAndLast, fmt::format("bias+last:{}", size));
  for (const std::int64_t size : ladder(std::ssize(layers), most_of_a_way))
    if (size <= std::ssize(layers))
      choices.add(kLayersByGain, layers_text(model, {layers.begin(), layers.begin() + size}));
  return choices.take();
}

TrainingChoice adapters_choice(const Model& model, const TrainingGains& gains) {
  std::vector<bool> flags(model.graph.tensors.size());
  for (const Adapter& adapter : model.adapters)
    for (const TensorId part : {adapter.down, adapter.up})
      flags[static_cast<std::size_t>(index_of(part))] = true;
  return choice_of(model, gains, "all", flags);
}

Result<std::optional<TrainingChoice>> greedy_choice(const Model& model, const TrainingGains& gains,
                                                    std::int64_t most_tries,
                                                    const FitsLimits& fits) {
  std::vector<LayerGain> layers = layer_gains(model, gains);
  std::erase_if(layers, [](const LayerGain& layer) { return !(layer.gain > 0); });
  const Result<std::vector<LayerGain>> taken =
      GreedyWalk(model, std::move(layers), most_tries, fits).run();
  if (!taken.ok()) return taken.error();
  if (taken->empty()) return std::optional<TrainingChoice>();
  const std::string train = layers_text(model, *taken);
  const Result<std::vector<bool>> trained = trained_parameters(model, train);
  if (!trained.ok()) return trained.error();
  TrainingChoice choice = choice_of(model, gains, train, *trained);
  choice.ways = {kGreedyLayers};
  return std::optional(std::move(choice));
}

bool is_worth_more(const TrainingChoice& a, const TrainingChoice& b) {
  return a.gain != b.gain ? a.gain > b.gain : a.values < b.values;
}

}  // namespace poet
