#pragma once

#include <string_view>
#include <vector>

#include "poet/model/onnx/node_import.h"

namespace poet {

// An operator of ONNX's default set. At least one of the functions is there.
struct OnnxOperator {
  std::string_view op_type;
  void (*import)(NodeImport& node) = nullptr;  // as operations of the graph
  // On values alone: used when all inputs that are there are known and not trained.
  void (*fold)(NodeImport& node) = nullptr;
};

// Null for one that POET does not have.
const OnnxOperator* find_onnx_operator(std::string_view op_type);
const std::vector<OnnxOperator>& onnx_operators();  // sorted by name

// For nodes whose operator is a row of the operator table under the name that it has there
// (OnnxName): of one tensor, of two whose shapes are broadcast, over some dimensions.
void import_plain(NodeImport& node);
void import_pair(NodeImport& node);
void import_reduction(NodeImport& node);
Operator kind_named_in_onnx(const NodeImport& node);

// The rows, by family; each in import_<family>.cc. What the operator table says of an operator
// stands there alone: such rows here only add what is done with known values.
std::vector<OnnxOperator> elementwise_onnx_operators();
std::vector<OnnxOperator> pair_onnx_operators();
std::vector<OnnxOperator> matrix_onnx_operators();
std::vector<OnnxOperator> window_onnx_operators();
std::vector<OnnxOperator> norm_onnx_operators();
std::vector<OnnxOperator> reduce_onnx_operators();
std::vector<OnnxOperator> shape_onnx_operators();
std::vector<OnnxOperator> move_onnx_operators();
std::vector<OnnxOperator> slice_onnx_operators();
std::vector<OnnxOperator> recurrent_onnx_operators();
std::vector<OnnxOperator> resize_onnx_operators();
std::vector<OnnxOperator> einsum_onnx_operators();
std::vector<OnnxOperator> pick_onnx_operators();
std::vector<OnnxOperator> choice_onnx_operators();
std::vector<OnnxOperator> attention_onnx_operators();
std::vector<OnnxOperator> composed_onnx_operators();
std::vector<OnnxOperator> loss_onnx_operators();

}  // namespace poet
