#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/model/model.h"

namespace poet {

// Adapters of low rank over weights that stay as they are: E. Hu et al., "LoRA: low-rank adaptation
// of large language models" (2021), arXiv 2106.09685. Where a network has the product x W, with W
// as a map of `in` to `out` features, it then has
//
//   x W + (alpha / rank) x A' B',   A (rank, in),  B (out, rank),
//
// and A and B are what is learnt. Both are called and laid out as PEFT has them:
// "q_proj.lora_A.weight" and "q_proj.lora_B.weight" beside "q_proj.weight".
struct LowRankAdapters {
  std::int64_t rank = 8;
  double alpha = 16;
  // Of weights in matrix products:
  //   attention      those of queries, keys, values and what they go out by, by their names
  //   all            every one
  //   regex:PATTERN  those in whose names a regular expression is found (regular_expression.h)
  std::string targets = "attention";

  bool operator==(const LowRankAdapters&) const = default;
};

// "lora", or "lora:" and any of rank=8, alpha=16 and targets=attention with commas between them. An
// alpha that is left out is twice the rank. A pattern may have commas, so it stands last.
Result<LowRankAdapters> read_adapters(std::string_view text);

// The same with everything said: "lora:rank=8,alpha=16,targets=attention".
std::string adapters_text(const LowRankAdapters& adapters);

// The network with adapters, all of whose tensors keep their ids. A begins evenly drawn from
// [-1/sqrt(in), 1/sqrt(in)), which is what the authors' own code and PEFT do (the paper has a
// normal distribution), each with a seed of its own; B begins with zeros, so that the network
// computes what it did before.
//
// Adapted are matrices that nothing reads but products, always on the right and always turned the
// same way; a table of which rows are looked up too stays as it is. A weight that several products
// read (a network over time) has one adapter for all of them.
//
// Refuses targets that choose nothing, ranks that are larger than a matrix, and names that are
// taken.
Result<Model> with_adapters(Model model, const LowRankAdapters& adapters, std::uint64_t seed);

// The weights that adapters can be beside, in the network's order.
std::vector<TensorId> adaptable_weights(const Model& model);

// Targets that choose these of them, by their names, and no others: "attention" or "all" where they
// do, otherwise a pattern.
std::string targets_of(const Model& model, const std::set<std::string>& weights);

// How the module is called that a weight belongs to: its name without ".weight".
std::string module_of(std::string weight);

// W + (alpha / rank) (A' B'), in the place of W: each value is computed in double precision and
// rounded once.
struct AdaptedValues {
  std::span<const float> weight = {};
  std::span<const float> down = {};  // A
  std::span<const float> up = {};    // B
};
std::vector<float> merged(const Model& model, const Adapter& adapter, const AdaptedValues& values);

}  // namespace poet
