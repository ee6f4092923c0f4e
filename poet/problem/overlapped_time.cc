#include "poet/problem/overlapped_time.h"

#include <algorithm>
#include <vector>

#include "poet/problem/facts.h"

namespace poet {
namespace {

// Seconds of the transfers that every schedule has, by operation.
struct CertainTransfers {
  std::vector<double> reads_s = {};   // of homes that the operation is the first to read
  std::vector<double> writes_s = {};  // of new values that the operation makes
};

CertainTransfers certain_transfers(const Problem& problem) {
  const std::size_t count = problem.operations.size();
  CertainTransfers certain{std::vector<double>(count, 0), std::vector<double>(count, 0)};
  const std::vector<std::vector<OperationId>> all_readers = readers(problem);
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const Tensor& tensor = problem.tensors[i];
    if (tensor.view_of || tensor.home != Home::Storage || tensor.may_be_resident) continue;
    if (!all_readers[i].empty()) at(certain.reads_s, all_readers[i].front()) += tensor.page_in_s;
  }
  for (std::size_t v = 0; v < count; ++v)
    for (const TensorId output : problem.operations[v].outputs) {
      const Tensor& tensor = at(problem.tensors, output);
      if (!tensor.updates) continue;
      const Tensor& old = at(problem.tensors, *tensor.updates);
      if (old.home == Home::Storage && !old.may_be_resident)
        certain.writes_s[v] += tensor.page_out_s;
    }
  return certain;
}

}  // namespace

double least_overlapped_s(const Problem& problem) {
  const CertainTransfers certain = certain_transfers(problem);
  double all_reads_s = 0;
  double writes_left_s = 0;
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    all_reads_s += certain.reads_s[v];
    writes_left_s += certain.writes_s[v];
  }
  double least_s = all_reads_s + writes_left_s;
  double reads_s = 0;
  double computed_s = 0;
  double latest_begin_s = 0;  // of what was computed up to here, had nothing made it wait later
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    reads_s += certain.reads_s[v];
    latest_begin_s = std::max(latest_begin_s, reads_s - computed_s);
    computed_s += problem.operations[v].compute_s;
    least_s = std::max(least_s, latest_begin_s + computed_s + writes_left_s);
    writes_left_s -= certain.writes_s[v];
  }
  return std::max(least_s, latest_begin_s + computed_s);
}

}  // namespace poet
