#include "poet/use/written_values.h"

#include <cstring>

#include "poet/base/check.h"

namespace poet {

WrittenValues::WrittenValues(const Model& trained, const LearntValues& learnt,
                             WrittenAdapters adapters)
    : trained_(trained), learnt_(learnt) {
  if (adapters == WrittenAdapters::Beside) return;
  for (const Adapter& adapter : trained.adapters) adapters_.emplace(adapter.weight, adapter);
}

bool WrittenValues::changes(TensorId id) const {
  const GraphTensor& tensor = at(trained_.graph.tensors, id);
  return is_learnt(tensor.role) && (learnt_.has(tensor.name) || adapters_.count(id) > 0);
}

Failure WrittenValues::merge(const Adapter& adapter) const {
  if (merged_id_ == adapter.weight) return std::nullopt;
  std::vector<std::vector<float>> parts;
  for (const TensorId part : {adapter.weight, adapter.down, adapter.up}) {
    const std::int64_t bytes = size_bytes(at(trained_.graph.tensors, part).type);
    std::vector<float>& values =
        parts.emplace_back(static_cast<std::size_t>(bytes) / sizeof(float));
    if (Failure failure =
            learnt_.read(trained_, part, 0, std::as_writable_bytes(std::span(values))))
      return failure;
  }
  merged_ = merged(trained_, adapter, {.weight = parts[0], .down = parts[1], .up = parts[2]});
  merged_id_ = adapter.weight;
  return std::nullopt;
}

Failure WrittenValues::read(TensorId id, std::int64_t offset_bytes,
                            std::span<std::byte> into) const {
  const auto found = adapters_.find(id);
  if (found == adapters_.end()) return learnt_.read(trained_, id, offset_bytes, into);
  if (Failure failure = merge(found->second)) return failure;
  const auto bytes = std::as_bytes(std::span(merged_));
  const auto offset = static_cast<std::size_t>(offset_bytes);
  POET_CHECK(offset + into.size() <= bytes.size());
  std::memcpy(into.data(), bytes.data() + offset, into.size());
  return std::nullopt;
}

Result<StoredBytes> WrittenValues::value(TensorId id) const {
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(size_bytes(at(trained_.graph.tensors, id).type)));
  if (Failure failure = read(id, 0, bytes)) return *failure;
  return store(std::move(bytes));
}

}  // namespace poet
