#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/plan_request.h"
#include "poet/base/result.h"
#include "poet/model/weight_values.h"
#include "poet/use/learnt_values.h"

namespace poet {

// A network whose weights, or adapters, are to be written as they are published.
struct WeightsFileRequest {
  PlanRequest plan = {};                            // which network, with which sizes
  std::optional<std::string> checkpoint_path = {};  // default: the values that it begins with
  // A file, NAME.safetensors, or a folder, which is made when it is not there.
  std::string out_path = {};
  WrittenAdapters adapters = WrittenAdapters::Beside;
  NonFinite non_finite = NonFinite::Refused;  // published weights
};

struct WeightsFileReport {
  std::int64_t parameters = 0;       // values of them
  std::int64_t checkpoint_step = 0;  // 0 without a checkpoint
  std::vector<std::string> files = {};
  std::vector<std::string> notes = {};  // of how the network was read, and what it begins with
};

// Files that an export into this folder may replace.
std::vector<std::string> weights_files_in_folder();

// Where it is not there.
Failure make_folder(const std::string& folder);

// Writes the network's weights as float32, by the names of who publishes them (load_weights.h), and
// in a folder a configuration beside them, where POET knows what it says; one that is there already
// stays, and is refused where it is of another network. What is read is the checkpoint's and the
// network's, piece by piece. The weights appear whole or not at all. Adapters that are not to be
// merged have no place among such weights: of a network with them, they alone are written, as PEFT
// has them (peft_adapters.h). Refuses checkpoints of other networks, and a folder whose weights
// are in several files, which would lie beside the new ones.
Result<WeightsFileReport> export_weights_file(const WeightsFileRequest& request);

}  // namespace poet
