#include "poet/onednn/sequence_table.h"

#include "poet/base/check.h"

namespace poet {
namespace {

std::vector<SequenceRow> all_rows() {
  std::vector<SequenceRow> rows;
  for (const auto family : {convolution_sequences, matrix_product_sequences, layer_norm_sequences,
                            softmax_sequences, elementwise_sequences}) {
    const std::vector<SequenceRow> more = family();
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

const SequenceRow* row_of(std::string_view function) {
  static const std::vector<SequenceRow> rows = all_rows();
  for (const SequenceRow& row : rows)
    if (row.function == function) return &row;
  return nullptr;
}

bool is_built(const SequenceRow& row, const PreparedCall& call, CallSequence& sequence) {
  try {
    return row.build(call, sequence);
  } catch (const dnnl::error& error) {
    // What oneDNN has no words for, it calls invalid.
    POET_CHECK(error.status == dnnl_unimplemented || error.status == dnnl_invalid_arguments);
    return false;
  }
}

}  // namespace

std::optional<CallSequence> onednn_sequence(const PreparedCall& call, const OnednnDevice& device) {
  const SequenceRow* const row = row_of(call.kernel.name);
  if (row == nullptr) return std::nullopt;
  CallSequence sequence(device);
  if (!is_built(*row, call, sequence)) return std::nullopt;
  return sequence;
}

}  // namespace poet
