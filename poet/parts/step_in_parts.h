#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "poet/autodiff/training_graph.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/graph/part_axes.h"
#include "poet/parts/cuts.h"
#include "poet/parts/home_traffic.h"

namespace poet {

// Which values of which tensor of the whole step a tensor holds.
struct PieceOf {
  TensorId tensor{};
  std::vector<Range> values = {};  // of each dimension

  bool operator==(const PieceOf&) const = default;
};

// How tensors are cut that another step has, too, by their names. What is given to both is cut into
// the same pieces; what one makes is cut as finely from the start.
class KnownCuts {
 public:
  void add(const TensorPiece& piece);
  void add_whole(const GraphTensor& tensor);
  void add(const std::string& name, std::vector<std::vector<Range>> cuts);

  // Of each dimension; null for what is not known.
  const std::vector<std::vector<Range>>* find(const std::string& name) const;

 private:
  std::map<std::string, std::vector<std::vector<Range>>> cuts_ = {};
};

// A training step of which no operation is too large: every tensor is cut into dense pieces, and
// each operation into parts that work on pieces, with the bits of the whole.
struct StepInParts {
  TrainingGraph step = {};
  // Of each tensor; none for a sum that is not complete.
  std::vector<std::optional<PieceOf>> pieces = {};
  Cuts cuts = {};           // what was cut, and why
  HomeTraffic homes = {};   // what any way of cutting moves
  KnownCuts all_cuts = {};  // of all tensors: for other forms of the same step
  // Operations need no more only once gradients are used up slice by slice.
  bool needs_slices = false;
};

// More than anybody can plan.
inline constexpr std::int64_t kMostParts = 400'000;

// Cuts a step until no part of an operation has inputs, outputs and workspace of more than
// `most_bytes` together. Nothing is cut of a step that needs no more. Parameters, optimiser states
// and their gradients are trained piece by piece; updates must be separate. With `by_slices` they
// are counted as if gradients that can be were used up slice by slice, which is for who joins them
// afterwards (with_joined_updates()). Norms and losses come in stages where they are too large, and
// all of them where that is the only way to get as small. Refuses, in a sentence
// that names the operation, what cannot be cut as far, or not into so few parts (what puts pieces
// together does not count). Outputs of the graph, labels and the step's words are whole. Given up
// once `stop` ends it from outside, as large steps take seconds: then the sentence says so, and
// nothing is known of that size. Effort that was counted does not end it.
Result<StepInParts> step_in_parts(const TrainingGraph& whole, std::int64_t most_bytes,
                                  const KnownCuts& known = {}, std::int64_t most_parts = kMostParts,
                                  const Stop& stop = {}, bool by_slices = true);

// That sentence.
inline Failure stopped_while_cut() {
  return bad_input("the search was ended before the step was in parts of this size");
}

}  // namespace poet
