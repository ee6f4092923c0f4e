#pragma once

#include <cstdint>
#include <vector>

#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"

namespace poet {

// The rows of the operator table, one function and file per family (poet/graph/operator.h).
std::vector<OperatorEntry> unary_operators();
std::vector<OperatorEntry> broadcast_operators();
std::vector<OperatorEntry> compare_operators();
std::vector<OperatorEntry> reduce_operators();
std::vector<OperatorEntry> move_operators();
std::vector<OperatorEntry> pad_operators();
std::vector<OperatorEntry> top_k_operators();
std::vector<OperatorEntry> gather_operators();
std::vector<OperatorEntry> gather_elements_operators();
std::vector<OperatorEntry> gather_nd_operators();
std::vector<OperatorEntry> scatter_operators();
std::vector<OperatorEntry> dropout_operators();
std::vector<OperatorEntry> loss_operators();
std::vector<OperatorEntry> gradient_norm_operators();
std::vector<OperatorEntry> update_operators();
std::vector<OperatorEntry> weight_update_operators();
std::vector<OperatorEntry> row_update_operators();
std::vector<OperatorEntry> matmul_operators();
std::vector<OperatorEntry> conv_operators();
std::vector<OperatorEntry> conv_part_operators();
std::vector<OperatorEntry> pool_operators();
std::vector<OperatorEntry> norm_operators();
std::vector<OperatorEntry> norm_part_operators();
std::vector<OperatorEntry> softmax_operators();
std::vector<OperatorEntry> softmax_part_operators();
std::vector<OperatorEntry> loss_part_operators();
std::vector<OperatorEntry> weight_block_operators();

// Of those rows whose operators move, compare or place values, and calculate none.
inline std::int64_t no_flop(const OperationTypes&) {
  return 0;
}

}  // namespace poet
