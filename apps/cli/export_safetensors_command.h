#pragma once

#include <string>
#include <vector>

#include "apps/cli/export_onnx_command.h"
#include "poet/ask/option_row.h"

namespace poet::cli {

// The network, its sizes and what was learnt, as 'poet export onnx' has them.
std::vector<OptionRow> export_safetensors_option_rows(ExportOnnxFlags& flags);

// 'poet export safetensors': the weights of a trained network, as they are published. `arguments`
// are those behind "safetensors".
int run_export_safetensors(const std::vector<std::string>& arguments);

}  // namespace poet::cli
