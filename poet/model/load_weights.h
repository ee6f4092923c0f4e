#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/model/model.h"
#include "poet/model/published_weights.h"
#include "poet/model/weight_names.h"

namespace poet {

// What to do where published weights are not those of the whole network.
enum class MissingWeights {
  Refused,
  AsInitial,  // what they lack, or have in another shape, begins as it would without them
};
inline constexpr Named<MissingWeights> kMissingWeights[] = {{"refuse", MissingWeights::Refused},
                                                            {"initial", MissingWeights::AsInitial}};

// Gives parameters and statistics of a network the values that were published, in place of its
// own; `network`: its name in the zoo, or "" for one of a file, whose names theirs must be. Values
// stay where they lie and are converted as they are read: float32 to the bit, float16 and bfloat16
// exactly, float64 to the nearest float32.
//
// Refuses a configuration of another network, and names at once everything that is missing,
// superfluous, of another shape or of a type that parameters cannot have; a tensor that shares its
// values with another one in the network and does not in the file; float64 values beyond float32.
// With MissingWeights::AsInitial a note says what was not taken over; weights of which nothing is
// the network's are refused all the same.
Failure load_weights(const PublishedWeights& weights, std::string_view network,
                     MissingWeights missing, Model& model);

// The published tensors that it takes values from, each once.
std::vector<const SafeTensor*> tensors_taken(const PublishedWeights& weights,
                                             std::string_view network, const Model& model);

// All values of a tensor of floats, or in blocks, as a network would take them over.
Initial float_values(const SafeTensor& tensor);

// A tensor as the network's weights are published, and the tensors of ours that it holds, one below
// the other.
struct PublishedTensor {
  std::string name = {};
  Shape shape = {};
  WeightLayout layout = WeightLayout::Same;
  std::vector<TensorId> parts = {};
};

// All parameters and statistics, in the network's order: what load_weights() takes back.
std::vector<PublishedTensor> published_form(const Model& model, std::string_view network);

}  // namespace poet
