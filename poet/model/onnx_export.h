#pragma once

#include <functional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/model/model.h"
#include "poet/model/onnx_file.h"

namespace poet {

// The operator set and the file format that models are written in.
inline constexpr std::int64_t kWrittenOpset = 17;
inline constexpr std::int64_t kWrittenIrVersion = 8;

// The bytes of a parameter, statistic or constant, row-major.
using ValueOf = std::function<Result<StoredBytes>(TensorId)>;

struct ExportedOnnx {
  OnnxModel model = {};
  std::vector<OnnxInput> outputs = {};  // as the model has them, with their types
};

// A network as ONNX has it: the forward pass, with its sizes as they are. Operators that ONNX has
// not got are spelled out, so that import_onnx() recognises them again; dropouts stay and do
// nothing, as in any file for inference. Parameters and statistics are initializers, constants are
// nodes. Refuses losses and group norms of more than one channel, which opset 17 has no node for.
Result<ExportedOnnx> export_onnx(const Model& model, const ValueOf& value_of);

// Writes a model: the file appears whole or not at all. Refuses what does not fit into 2 GiB.
Failure write_onnx(const ExportedOnnx& file, const std::string& path);

}  // namespace poet
