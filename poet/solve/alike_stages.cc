// Finds stretches of stages that look alike, so that what is better in one is tried in the others
// (docs/model/search.md §4.2).
#include "poet/solve/alike_stages.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <utility>

namespace poet {
namespace {

constexpr int kEdges = 3;  // how far apart alike stages look the same

// What two operations must have in common: compared whole, so that no two are alike by accident.
using Signature = std::vector<std::int64_t>;

std::int64_t bits(double value) {
  return std::bit_cast<std::int64_t>(value);
}

void describe(const Chain& chain, Signature& signature) {
  signature.insert(signature.end(),
                   {chain.size_bytes, chain.producer ? 1 : 0, chain.may_be_written ? 1 : 0,
                    chain.must_be_written ? 1 : 0, chain.may_be_read ? 1 : 0,
                    chain.may_be_resident ? 1 : 0, bits(chain.read_cost), bits(chain.write_cost),
                    bits(chain.read_s), bits(chain.write_s), std::ssize(chain.readers)});
}

Signature alone(const Step& step, const StepOperation& operation) {
  Signature signature = {operation.workspace_bytes,    bits(operation.cost),
                         bits(operation.time_s),       operation.backward ? 1 : 0,
                         std::ssize(operation.inputs), std::ssize(operation.outputs),
                         operation.in_place ? 1 : 0};
  for (const std::int32_t c : operation.inputs) describe(step.chains[c], signature);
  for (const std::int32_t c : operation.outputs) describe(step.chains[c], signature);
  return signature;
}

// Its own kind, those that its inputs come from, and those that read its outputs.
Signature with_neighbours(const Step& step, const StepOperation& operation, std::int32_t own,
                          const std::vector<std::int32_t>& kinds) {
  constexpr std::int64_t kHome = -1, kNext = -2;
  Signature signature = {own};
  for (const std::int32_t c : operation.inputs) {
    const std::optional<std::int32_t>& producer = step.chains[c].producer;
    signature.push_back(producer ? kinds[*producer] : kHome);
  }
  for (const std::int32_t c : operation.outputs) {
    signature.push_back(kNext);
    for (const std::int32_t reader : step.chains[c].readers) signature.push_back(kinds[reader]);
  }
  return signature;
}

// Numbers for signatures, in the order in which they first come.
std::vector<std::int32_t> numbered(const std::vector<Signature>& signatures) {
  std::map<Signature, std::int32_t> numbers;
  std::vector<std::int32_t> kinds;
  for (const Signature& signature : signatures)
    kinds.push_back(
        numbers.try_emplace(signature, static_cast<std::int32_t>(numbers.size())).first->second);
  return kinds;
}

}  // namespace

AlikeStages::AlikeStages(const Step& step) {
  std::vector<Signature> signatures;
  for (const StepOperation& operation : step.operations)
    signatures.push_back(alone(step, operation));
  kinds_ = numbered(signatures);
  for (int edge = 0; edge < kEdges; ++edge) {
    for (std::size_t v = 0; v < signatures.size(); ++v)
      signatures[v] = with_neighbours(step, step.operations[v], kinds_[v], kinds_);
    kinds_ = numbered(signatures);
  }
  for (std::size_t v = 0; v < kinds_.size(); ++v) {
    stages_of_.resize(std::max(stages_of_.size(), static_cast<std::size_t>(kinds_[v]) + 1));
    stages_of_[kinds_[v]].push_back(static_cast<std::int32_t>(v));
  }
}

std::vector<StageRange> AlikeStages::twins_of(const StageRange& where) const {
  std::vector<StageRange> twins;
  const std::int32_t width = where.end - where.begin;
  const auto first = kinds_.begin() + where.begin, last = kinds_.begin() + where.end;
  for (const std::int32_t begin : stages_of_[kinds_[where.begin]]) {
    const bool is_apart = std::abs(begin - where.begin) >= width;
    if (!is_apart || begin + width > std::ssize(kinds_)) continue;
    if (std::equal(first, last, kinds_.begin() + begin)) twins.push_back({begin, begin + width});
  }
  return twins;
}

}  // namespace poet
