#pragma once

#include <onnx/onnx_pb.h>

#include <memory>

#include "poet/base/result.h"
#include "poet/model/onnx/external_data.h"
#include "poet/model/onnx_file.h"

namespace poet {

// A tensor of a message that `owner` keeps alive: values point into it where they can. `files` is
// null where external data cannot be.
Result<OnnxTensor> read_tensor(const onnx::TensorProto& proto,
                               const std::shared_ptr<const void>& owner, ExternalFiles* files);

}  // namespace poet
