#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "poet/base/result.h"
#include "poet/model/model.h"
#include "poet/model/onnx_file.h"

namespace poet {

enum class BatchNormTraining {
  ByBatch,  // all batch norms train by the statistics of the batch, as when trained from the start
  Frozen,   // those that were exported for inference keep their statistics
};

// What the file does not say.
struct OnnxImportOptions {
  // The first extent of every input, where the file leaves it open.
  std::optional<std::int64_t> batch_size = {};
  std::map<std::string, std::int64_t> dimensions = {};  // named extents: {"sequence", 128}
  BatchNormTraining batch_norms = BatchNormTraining::ByBatch;
};

// The network as operations of ours. What is only needed to find shapes is calculated here, and
// operations that the outputs do not need are left out. Tensors have the file's names. Parameters
// are the initializers of float32 values that have dimensions, and those without that a
// convolution, matrix product or norm reads as its weight, scale or bias. What nodes hold or
// calculate is constant, but in a file that keeps its weights in nodes: there, what is read as a
// weight is one. That is a file in which no initializer of that kind is needed, or in which nodes
// make more values by a rule (ConstantOfShape) than those initializers hold. The angles of rotary
// positions are constant, and so is a float mask of attention. Functions of the file are put in the
// places of their calls. The notes say what the export did to the network that a training would
// show, and which types are taken as float32. Refuses operators that POET does not have,
// all of them in one message; extents that stay open; cycles, missing inputs and whatever does not
// fit together, naming the node.
Result<Model> import_onnx(const OnnxModel& file, const OnnxImportOptions& options);

}  // namespace poet
