#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/solve_flags.h"
#include "poet/ask/option_row.h"

namespace poet::cli {

// Everything that the flags of 'poet export onnx' set.
struct ExportOnnxFlags {
  SolveFlags solve = {};  // the network and its sizes
  std::optional<std::string> checkpoint = {};
  std::optional<std::string> out = {};
  bool merges = false;             // adapters into the weights that they are beside
  bool allows_non_finite = false;  // published weights
};

std::vector<OptionRow> export_onnx_option_rows(ExportOnnxFlags& flags);

// 'poet export onnx': a trained network as an ONNX file. `arguments` are those behind "onnx".
int run_export_onnx(const std::vector<std::string>& arguments);

// The network, its sizes and what was learnt, as 'poet export onnx' has them.
std::vector<OptionRow> export_safetensors_option_rows(ExportOnnxFlags& flags);

// 'poet export safetensors': the weights of a trained network, as they are published. `arguments`
// are those behind "safetensors".
int run_export_safetensors(const std::vector<std::string>& arguments);

}  // namespace poet::cli
