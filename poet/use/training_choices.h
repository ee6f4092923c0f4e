#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/model/model.h"
#include "poet/use/training_gains.h"

namespace poet {

// Ways to choose what is trained; choices of one are larger and larger, but for the last, which is
// one choice. Some are of several.
inline constexpr std::string_view kLastLayers = "last";        // last:1, last:2, ... all
inline constexpr std::string_view kBiasAndLast = "bias+last";  // bias, bias+last:1, ...
inline constexpr std::string_view kNorms = "norm";             // norm
inline constexpr std::string_view kLayersByGain = "by gain";   // those that gain most
inline constexpr std::string_view kGreedyLayers = "greedy";    // greedy_choice()

// What may be trained, and what that is worth.
struct TrainingChoice {
  std::string train = {};  // as --train has it
  std::vector<std::string_view> ways = {};
  std::int64_t values = 0;  // that are trained
  double gain = 0;
};

// What training a layer as a whole is worth.
struct LayerGain {
  std::string layer = {};
  std::int64_t values = 0;
  double gain = 0;
};

// Of each layer of the network that can be trained, from the largest gain on; of equals, the first
// in the network. Adapters are no layers.
std::vector<LayerGain> layer_gains(const Model& model, const TrainingGains& gains);

// Choices of every way but the greedy one, each once, with at most so many of each way: of N layers
// 1, N and some between, each so many times the one before. What the network does not have, and
// what cannot be trained, is left out. Of a network with adapters all choices train these, too, and
// `all` nothing else.
std::vector<TrainingChoice> training_choices(const Model& model, const TrainingGains& gains,
                                             std::int64_t most_of_a_way);

// What training the adapters alone is worth; no values where there are none.
TrainingChoice adapters_choice(const Model& model, const TrainingGains& gains);

// Whether what --train says so can be trained within the limits.
using FitsLimits = std::function<Result<bool>(const std::string& train)>;

// Walks through the layers from the largest gain on and takes each with which what was taken still
// fits: as many as follow each other at once, found by doubling and halving, so that what fits is
// asked for few sets. So a set that was found to fit, and not the best of all sets: a layer that is
// taken may cost what two others would have had together. Layers that gain nothing are not looked
// at, and after `most_tries` the rest is left out. Nothing where no layer fits.
Result<std::optional<TrainingChoice>> greedy_choice(const Model& model, const TrainingGains& gains,
                                                    std::int64_t most_tries,
                                                    const FitsLimits& fits);

// Whether one is worth more; of equals, the one that trains fewer values.
bool is_worth_more(const TrainingChoice& a, const TrainingChoice& b);

}  // namespace poet
