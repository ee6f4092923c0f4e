#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/ask/plan_request.h"
#include "poet/base/result.h"
#include "poet/model/weight_values.h"
#include "poet/use/learnt_values.h"

namespace poet {

// A network to be written as ONNX.
struct OnnxFileRequest {
  PlanRequest plan = {};                            // which network, with which sizes
  std::optional<std::string> checkpoint_path = {};  // default: the values that it begins with
  std::string out_path = {};
  WrittenAdapters adapters = WrittenAdapters::Beside;
  NonFinite non_finite = NonFinite::Refused;  // published weights
};

// How much was written.
struct OnnxFileReport {
  std::int64_t parameters = 0;       // values of them
  std::int64_t checkpoint_step = 0;  // 0 without a checkpoint
  std::vector<std::string> notes = {};
};

// Writes the network with what was learnt. One that came from an ONNX file is that file with the
// new values in it, and nothing else changed; one of the zoo, or one with adapters beside its
// weights, is spelled out, as export_onnx() (poet/model/onnx_export.h) does it. Refuses checkpoints
// of other networks, and to merge where there are no adapters.
Result<OnnxFileReport> export_onnx_file(const OnnxFileRequest& request);

}  // namespace poet
