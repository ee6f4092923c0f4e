// Keeps the basis of a relaxation by what its columns and rows mean (docs/model/numbers.md §1.4).
#include "poet/solve/basis_memory.h"

namespace poet {

BasisMemory::Key BasisMemory::key_of(const EventSet& events, const ColumnTag& tag) {
  const Event& event = events.events()[tag.event];
  return {static_cast<std::int32_t>(tag.meaning), event.stage, event.operation, tag.chain, 0};
}

BasisMemory::Key BasisMemory::key_of(const EventSet& events, const RowTag& tag) {
  const Event& event = events.events()[tag.event];
  return {static_cast<std::int32_t>(tag.kind), event.stage, event.operation, tag.chain, tag.cut};
}

void BasisMemory::keep(const EventSet& events, const EventModel& model, const Basis& basis) {
  columns_.clear();
  rows_.clear();
  for (std::size_t j = 0; j < basis.columns.size(); ++j)
    columns_.emplace(key_of(events, model.column_tags[j]), basis.columns[j]);
  for (std::size_t n = 0; n < basis.rows.size(); ++n)
    rows_.emplace(key_of(events, model.row_tags[n]), basis.rows[n]);
}

Basis BasisMemory::recall(const EventSet& events, const EventModel& model) const {
  Basis basis;
  for (const ColumnTag& tag : model.column_tags) {
    const auto known = columns_.find(key_of(events, tag));
    basis.columns.push_back(known == columns_.end() ? BasisStatus::AtLower : known->second);
  }
  for (const RowTag& tag : model.row_tags) {
    const auto known = rows_.find(key_of(events, tag));
    basis.rows.push_back(known == rows_.end() ? BasisStatus::Basic : known->second);
  }
  return basis;
}

}  // namespace poet
