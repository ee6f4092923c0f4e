#include "poet/use/learnt_values.h"

#include <fmt/core.h>

#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/data/data_file.h"
#include "poet/use/checkpoint_base.h"

namespace poet {
namespace {

constexpr std::size_t kReadBytes = 128 << 10;

}  // namespace

bool is_learnt(TensorRole role) {
  return role == TensorRole::Parameter || role == TensorRole::Statistic;
}

Result<LearntValues> LearntValues::open(const std::optional<std::string>& path,
                                        const Question& question, const Model& model) {
  LearntValues values;
  if (!path) return values;
  std::vector<std::byte> buffer(kReadBytes);
  Result<Checkpoint> checkpoint = open_checkpoint(*path, buffer);
  if (!checkpoint.ok()) return checkpoint.error();
  std::set<std::string> taken;
  for (const CheckpointValue& value : checkpoint->values) taken.insert(value.name);
  if (Failure failure = check_base(*checkpoint, question, model, taken)) return *failure;
  values.checkpoint_ = *std::move(checkpoint);
  for (const CheckpointValue& value : values.checkpoint_.values)
    if (is_learnt(value.role)) values.by_name_.emplace(value.name, &value);
  if (Failure failure = values.check(*path, model)) return *failure;
  return values;
}

Failure LearntValues::read(const Model& model, TensorId id, std::int64_t offset_bytes,
                           std::span<std::byte> into) const {
  const GraphTensor& tensor = at(model.graph.tensors, id);
  const auto found = by_name_.find(tensor.name);
  if (found != by_name_.end())
    return checkpoint_.file->read(found->second->offset_bytes + offset_bytes, into);
  write_initial(model.initial.at(id), tensor.type, offset_bytes, into);
  return std::nullopt;
}

Result<StoredBytes> LearntValues::value(const Model& model, TensorId id) const {
  const TensorType& type = at(model.graph.tensors, id).type;
  std::vector<std::byte> bytes(static_cast<std::size_t>(size_bytes(type)));
  if (Failure failure = read(model, id, 0, bytes)) return *failure;
  return store(std::move(bytes));
}

// Everything that was learnt has a place in the network.
Failure LearntValues::check(const std::string& path, const Model& model) const {
  std::map<std::string, const GraphTensor*> there;
  for (const GraphTensor& tensor : model.graph.tensors)
    if (is_learnt(tensor.role)) there.emplace(tensor.name, &tensor);
  for (const auto& [name, value] : by_name_) {
    const auto found = there.find(name);
    if (found == there.end())
      return bad_input(fmt::format("the checkpoint {} is of another network: this one has no {}",
                                   quoted_path(path), in_quotes(name)));
    if (found->second->type != value->type)
      return bad_input(fmt::format("the checkpoint {} has {} as {}, and the network as {}",
                                   quoted_path(path), in_quotes(name), to_text(value->type),
                                   to_text(found->second->type)));
  }
  return std::nullopt;
}

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
