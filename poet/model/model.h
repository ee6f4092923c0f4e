#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/graph/graph.h"
#include "poet/model/initial.h"

namespace poet {

// A tensor under the name that users know it by: several names may mean the same tensor.
struct NamedTensor {
  std::string name;
  TensorId tensor{};

  bool operator==(const NamedTensor&) const = default;
};

// A BatchNormInference of the graph that trains by the statistics of the batch, and the rule by
// which its running statistics (its fourth and fifth input) then follow them. A batch norm that is
// not listed keeps its statistics in training too.
struct TrainedBatchNorm {
  OperationId operation{};
  float rate = 0.1F;  // running = (1 - rate) running + rate batch
  bool unbiased = true;

  bool operator==(const TrainedBatchNorm&) const = default;
};

// What is learnt beside a weight that is not (poet/model/low_rank_adapters.h).
struct Adapter {
  TensorId weight{};
  TensorId down{};  // A (rank, in)
  TensorId up{};    // B (out, rank)
  float scale = 1;  // alpha / rank
  bool weight_is_in_by_out = false;

  bool operator==(const Adapter&) const = default;
};

// A weight that lies in blocks of few bits (poet/graph/weight_blocks.h): a row for each place of
// the first dimension.
struct PackedWeight {
  WeightBlocks blocks = {};
  Shape shape = {};            // of what is decoded
  bool is_transposed = false;  // the weight is that with rows and columns exchanged
  Initial values = {};         // of packed_type(): the blocks
};

// What a user wants to train: a network's forward pass, as inference computes it, and the values
// that it begins with. Parameters, statistics and inputs have Home::Storage, constants Home::Rom;
// the step tensor, which only dropouts read, Home::Resident. graph.outputs are the tensors of
// `outputs`, in that order.
struct Model {
  Graph graph = {};
  std::vector<NamedTensor> inputs = {};   // what each step brings anew, in the file's order
  std::vector<NamedTensor> outputs = {};  // at least one
  // Of every parameter, statistic and constant; of no other tensor.
  std::map<TensorId, Initial> initial = {};
  // Of parameters that lie in blocks, which `initial` has decoded. with_decoding()
  // (poet/model/packed_weights.h) makes a graph of it that reads the blocks themselves.
  std::map<TensorId, PackedWeight> packed = {};
  std::vector<TrainedBatchNorm> batch_norms = {};  // in the order of the graph
  std::optional<TensorId> step = {};               // there when the graph has a dropout
  std::vector<Adapter> adapters = {};              // where there are any, they are what is trained
  // What whoever trains it should know of how it was read, one sentence each.
  std::vector<std::string> notes = {};
};

// Nothing when check_graph() is content and the above holds; otherwise the first sentence about
// what is wrong.
Failure check_model(const Model& model);

}  // namespace poet
