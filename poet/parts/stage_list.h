#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/autodiff/training_graph.h"

namespace poet {

// The stages of one operation, which stand in its place: those of norms in norm_stages.cc, those of
// losses in loss_stages.cc.
class StageList {
 public:
  StageList(TrainingGraph& step, const GraphOperation& whole,
            std::vector<GraphOperation>& operations)
      : step_(step), whole_(whole), operations_(operations) {}

  const GraphOperation& whole() const { return whole_; }
  // A copy: what is added moves the others.
  Shape shape(TensorId tensor) const { return at(step_.graph.tensors, tensor).type.shape; }

  // A stage that makes what is not one of the whole operation's outputs, of float32, under a name
  // of its own.
  TensorId add(const std::string& what, Operator kind, const Attributes& attributes,
               std::vector<TensorId> inputs, Shape shape);

  // A stage that makes what is there already.
  void make(const std::string& what, Operator kind, const Attributes& attributes,
            std::vector<TensorId> inputs, std::vector<TensorId> outputs);

  // What no stage has made yet.
  TensorId tensor(const std::string& what, Shape shape);

  // A number that is given, and lies where `like` does, or in the rom where that is made.
  TensorId number(const std::string& what, double value, TensorId like);

 private:
  TrainingGraph& step_;
  const GraphOperation& whole_;
  std::vector<GraphOperation>& operations_;
};

// What an operation reads and makes.
std::int64_t bytes_at_once(const Graph& graph, const GraphOperation& operation);

// Whether a norm has to come in stages, and these.
bool is_too_large_norm(const Graph& graph, const GraphOperation& norm, std::int64_t most_bytes);
void add_norm_stages(StageList& stages);

}  // namespace poet
