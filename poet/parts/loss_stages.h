#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "poet/parts/stage_list.h"

namespace poet {

// Losses that are too large in stages. Of classes: how many labels count, which both directions
// divide by, and sums over labels; where not even a few labels with the scores of all classes fit,
// first the largest score of each label and the sum of exponentials, which both directions need,
// and the label's own score, block of classes by block. Of values: each value's, and the sum of
// these.
class LossStages {
 public:
  LossStages(const Graph& graph, std::int64_t most_bytes)
      : graph_(graph), most_bytes_(most_bytes) {}

  bool are_wanted(const GraphOperation& operation) const;
  void add(StageList& stages);

 private:
  struct ClassSums {
    TensorId largest{};
    TensorId sum{};
  };
  // Labels, weights, and the label that is ignored.
  using Counted = std::tuple<TensorId, std::optional<TensorId>, std::optional<std::int64_t>>;

  bool is_by_classes(const GraphOperation& operation) const;
  void add_class_loss(StageList& stages);
  void add_class_gradient(StageList& stages);
  void add_value_loss(StageList& stages) const;
  void add_value_gradient(StageList& stages) const;
  TensorId label_count(StageList& stages, const Counted& counted, std::int64_t classes);
  ClassSums class_sums(StageList& stages, TensorId scores);

  const Graph& graph_;
  std::int64_t most_bytes_ = 0;
  std::map<Counted, TensorId> counts_ = {};
  std::map<TensorId, ClassSums> sums_ = {};
};

}  // namespace poet
