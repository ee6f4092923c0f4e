#include "poet/onednn/chain_table.h"

#include "poet/base/check.h"

namespace poet {
namespace {

std::vector<ChainRow> all_rows() {
  std::vector<ChainRow> rows;
  for (const auto family : {convolution_chains, matrix_product_chains, layer_norm_chains,
                            softmax_chains, elementwise_chains}) {
    const std::vector<ChainRow> more = family();
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

const ChainRow* row_of(std::string_view function) {
  static const std::vector<ChainRow> rows = all_rows();
  for (const ChainRow& row : rows)
    if (row.function == function) return &row;
  return nullptr;
}

bool is_built(const ChainRow& row, const PreparedCall& call, CallChain& chain) {
  try {
    return row.build(call, chain);
  } catch (const dnnl::error& error) {
    // What oneDNN has no words for, it calls invalid.
    POET_CHECK(error.status == dnnl_unimplemented || error.status == dnnl_invalid_arguments);
    return false;
  }
}

}  // namespace

std::optional<CallChain> onednn_chain(const PreparedCall& call, const OnednnDevice& device) {
  const ChainRow* const row = row_of(call.kernel.name);
  if (row == nullptr) return std::nullopt;
  CallChain chain(device);
  if (!is_built(*row, call, chain)) return std::nullopt;
  return chain;
}

}  // namespace poet
