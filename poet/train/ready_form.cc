#include "poet/train/ready_form.h"

#include <cstring>
#include <set>

#include "poet/base/check.h"
#include "poet/train/held_values.h"

namespace poet {
namespace {

HeldValue kept_value(const ReadyForm& form, TensorId id) {
  const GraphTensor& tensor = at(form.graph->tensors, id);
  Executor* const executor = form.executor;
  HeldValue value{.name = tensor.name,
                  .type = tensor.type,
                  .role = tensor.role,
                  .read = [executor, id](std::int64_t offset, std::span<std::byte> into) {
                    return executor->get_part(id, offset, into);
                  }};
  if (tensor.role != TensorRole::Constant)
    value.write = [executor, id](std::int64_t offset, std::span<const std::byte> from) {
      return executor->set_part(id, offset, from);
    };
  return value;
}

HeldValue rom_value(const GraphTensor& tensor, std::span<const std::byte> bytes) {
  return {.name = tensor.name,
          .type = tensor.type,
          .role = tensor.role,
          .read = [bytes](std::int64_t offset, std::span<std::byte> into) {
            std::memcpy(into.data(), bytes.data() + offset, into.size());
            return Failure();
          }};
}

const TensorPiece* piece_of(const ReadyForm& form, TensorId id) {
  if (form.pieces == nullptr) return nullptr;
  const auto found = form.pieces->find(id);
  return found == form.pieces->end() ? nullptr : &found->second;
}

// What is kept in pieces becomes one value, under the name of the whole.
class ValuesByName {
 public:
  void add(const ReadyForm& form, TensorId id, HeldValue value) {
    const TensorPiece* const piece = piece_of(form, id);
    if (piece == nullptr)
      values_.emplace(value.name, std::move(value));
    else
      in_pieces_[piece->whole].push_back({*piece, std::move(value)});
  }

  std::vector<HeldValue> list() && {
    for (auto& [name, pieces] : in_pieces_)
      values_.emplace(name, value_in_pieces(std::move(pieces)));
    std::vector<HeldValue> list;
    for (auto& [name, value] : values_) list.push_back(std::move(value));
    return list;
  }

 private:
  std::map<std::string, HeldValue> values_ = {};
  std::map<std::string, std::vector<HeldPiece>> in_pieces_ = {};
};

}  // namespace

std::vector<HeldValue> held_values(const std::vector<ReadyForm>& forms, const Rom* rom) {
  ValuesByName values;
  for (const ReadyForm& form : forms) {
    for (const TensorId id : form.executor->kept())
      if (at(form.graph->tensors, id).role != TensorRole::Gradient)
        values.add(form, id, kept_value(form, id));
    if (rom == nullptr) continue;
    for (std::size_t i = 0; i < form.graph->tensors.size(); ++i) {
      const GraphTensor& tensor = form.graph->tensors[i];
      if (tensor.home == Home::Rom && tensor.role == TensorRole::Parameter)
        values.add(form, static_cast<TensorId>(i), rom_value(tensor, rom->find(tensor.name)));
    }
  }
  return std::move(values).list();
}

std::vector<HeldValue> accumulators(const ReadyForm& form) {
  ValuesByName values;
  for (const TensorId id : form.executor->kept())
    if (at(form.graph->tensors, id).role == TensorRole::Gradient)
      values.add(form, id, kept_value(form, id));
  return std::move(values).list();
}

Failure set_initial(const std::vector<ReadyForm>& forms,
                    const std::vector<const std::map<TensorId, Initial>*>& initial) {
  POET_CHECK(forms.size() == initial.size());
  std::set<std::string> done;
  for (std::size_t k = 0; k < forms.size(); ++k)
    for (const TensorId id : forms[k].executor->kept()) {
      if (!done.insert(at(forms[k].graph->tensors, id).name).second) continue;
      const auto value = initial[k]->find(id);
      POET_CHECK(value != initial[k]->end());
      if (Failure failure = forms[k].executor->set(id, value->second)) return failure;
    }
  return std::nullopt;
}

}  // namespace poet
