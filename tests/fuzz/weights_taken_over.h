#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "poet/base/check.h"
#include "poet/model/load_weights.h"
#include "poet/model/packed_weights.h"
#include "poet/model/real_networks.h"
#include "poet/model/weight_values.h"

// What becomes of weights that a fuzz target has read, whichever format they came in: a network
// takes them over, or refuses them in one line.
namespace poet::fuzz {

inline StoredBytes stored(const std::string& text) {
  std::vector<std::byte> copy(text.size());
  if (!text.empty()) std::memcpy(copy.data(), text.data(), text.size());
  return store(std::move(copy));
}

// A refusal of a file of this name.
inline void check_refusal(const Error& error, const std::string& file) {
  const std::string refusal = to_string(error);
  POET_CHECK(refusal.starts_with(file + ":"));
  POET_CHECK(refusal.find('\n') == std::string::npos);
}

inline void check_line(const Failure& failure) {
  if (failure) POET_CHECK(to_string(*failure).find('\n') == std::string::npos);
}

inline const Model& network() {
  static const Model model = *real_network("llama-tiny", {});
  return model;
}

inline void look_at_values(const Model& model) {
  for (const auto& [id, initial] : model.initial)
    POET_CHECK(initial_bytes(initial, at(model.graph.tensors, id).type).size() > 0);
}

inline void take_over(const PublishedWeights& weights) {
  Model model = network();
  const Failure failure = load_weights(weights, "llama-tiny", MissingWeights::AsInitial, model);
  if (failure) return check_line(failure);
  for (const SafeTensor* const tensor : tensors_taken(weights, "llama-tiny", model))
    for (const NonFinite non_finite : {NonFinite::Refused, NonFinite::Taken})
      if (const Failure refused = check_values(*tensor, non_finite))
        check_refusal(*refused, weights.path);
  look_at_values(model);
  const Result<Model> decoding = with_decoding(std::move(model));
  POET_CHECK(decoding.ok());
  look_at_values(*decoding);
}

}  // namespace poet::fuzz
