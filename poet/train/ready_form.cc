#include "poet/train/ready_form.h"

#include <cstring>
#include <set>

#include "poet/base/check.h"
#include "poet/train/value_in_pieces.h"

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

}  // namespace

std::vector<HeldValue> held_values(const std::vector<ReadyForm>& forms, const Rom* rom) {
  std::map<std::string, HeldValue> values;
  std::map<std::string, std::vector<HeldPiece>> in_pieces;
  for (const ReadyForm& form : forms) {
    const auto add = [&](TensorId id, HeldValue value) {
      const TensorPiece* const piece = piece_of(form, id);
      if (piece == nullptr)
        values.emplace(value.name, std::move(value));
      else
        in_pieces[piece->whole].push_back({*piece, std::move(value)});
    };
    for (const TensorId id : form.executor->kept())
      if (at(form.graph->tensors, id).role != TensorRole::Gradient) add(id, kept_value(form, id));
    if (rom == nullptr) continue;
    for (std::size_t i = 0; i < form.graph->tensors.size(); ++i) {
      const GraphTensor& tensor = form.graph->tensors[i];
      if (tensor.home == Home::Rom && tensor.role == TensorRole::Parameter)
        add(static_cast<TensorId>(i), rom_value(tensor, rom->find(tensor.name)));
    }
  }
  for (auto& [name, pieces] : in_pieces) values.emplace(name, value_in_pieces(std::move(pieces)));
  std::vector<HeldValue> list;
  for (auto& [name, value] : values) list.push_back(std::move(value));
  return list;
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
