#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/linear_backend.h"

namespace poet {

// Carries a basis from one event model to the next, whose events and cuts are others: columns and
// rows are known by what they mean.
class BasisMemory {
 public:
  bool empty() const { return rows_.empty(); }
  void keep(const EventSet& events, const EventModel& model, const Basis& basis);
  // What is new starts outside the basis, its row inside.
  Basis recall(const EventSet& events, const EventModel& model) const;

 private:
  // kind or meaning, stage and operation of the event, chain, cut
  using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t>;
  static Key key_of(const EventSet& events, const ColumnTag& tag);
  static Key key_of(const EventSet& events, const RowTag& tag);

  std::map<Key, BasisStatus> columns_;
  std::map<Key, BasisStatus> rows_;
};

}  // namespace poet
