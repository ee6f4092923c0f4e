// The terms of a cover inequality from later needs, derived a second time (docs/model/bounds.md
// §4).
#include "poet/verify/need_cut.h"

#include <algorithm>
#include <limits>

namespace poet {
namespace {

// The first operation behind `stage` that reads the tensor, where it exists before `stage` and the
// stage itself does not read it.
std::optional<std::int32_t> waits_until(const ProofTensor& tensor, std::int32_t stage) {
  if (!tensor.moves || (tensor.maker && *tensor.maker >= stage)) return std::nullopt;
  for (const std::int32_t reader : tensor.readers) {
    if (reader == stage) return std::nullopt;
    if (reader > stage) return reader;
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<NeedTerm>> terms_of(const ProofStep& step, const NeedCut& cut,
                                       const std::string& name) {
  if (cut.stage < 0 || cut.stage >= step.stages())
    return bad_input(name + " is about stage " + std::to_string(cut.stage) +
                     ", which does not exist");
  std::vector<bool> absent(step.tensors.size(), false);
  for (const TensorId id : cut.absent) {
    const std::int32_t tensor = index_of(id);
    const bool exists = tensor >= 0 && static_cast<std::size_t>(tensor) < absent.size();
    if (!exists || absent[tensor] || !waits_until(step.tensors[tensor], cut.stage))
      return bad_input(name + " takes tensor " + std::to_string(tensor) +
                       " as absent, which does not wait at stage " + std::to_string(cut.stage));
    absent[tensor] = true;
  }
  // The bytes that cannot lie beside what the stage itself needs; of them those taken as absent,
  // and with `stored` those that have a copy anyway, come back at no price.
  std::int64_t demand = step.least_room_bytes(step.operations[cut.stage]) - step.budget_bytes;
  std::vector<NeedTerm> terms;
  for (std::size_t i = 0; i < step.tensors.size(); ++i) {
    const ProofTensor& tensor = step.tensors[i];
    const std::optional<std::int32_t> until = waits_until(tensor, cut.stage);
    const bool has_copy = !tensor.maker || tensor.must_be_written;
    if (!until || absent[i] || (cut.kind == NeedKind::Stored && has_copy)) continue;
    demand += tensor.size_bytes;
    terms.push_back({static_cast<std::int32_t>(i), *until, 0});
  }
  const std::int64_t divisor = cut.divisor_bytes;
  if (demand <= 0 || divisor <= 0 || demand % divisor == 0)
    return bad_input(name + " says nothing: " + std::to_string(demand) +
                     " bytes must be absent, which its divisor of " + std::to_string(divisor) +
                     " bytes does not round");
  const double right = static_cast<double>(demand / divisor + 1);
  for (NeedTerm& term : terms) {
    const std::int64_t size = std::min(step.tensors[term.tensor].size_bytes, demand);
    const double share =
        static_cast<double>(size % divisor) / static_cast<double>(demand % divisor);
    term.weight = (static_cast<double>(size / divisor) + std::min(1.0, share)) / right;
  }
  return terms;
}

}  // namespace poet
