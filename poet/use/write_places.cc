#include "poet/use/write_places.h"

#include <algorithm>

#include "poet/base/check.h"
#include "poet/graph/stored_rows.h"

namespace poet {
namespace {

std::int64_t parts_of(std::int64_t bytes, std::int64_t part_bytes) {
  return (bytes + part_bytes - 1) / part_bytes;
}

// Of a value that outlives a step: its own pieces, which initial values come in, and of a piece of
// a larger one those of the whole that touch it.
std::int64_t places_of_pieces(const TensorType& type, const TensorPiece* piece,
                              std::int64_t piece_bytes) {
  const std::int64_t own = parts_of(size_bytes(type), piece_bytes);
  if (piece == nullptr || piece->values.empty()) return own;
  const std::int64_t row_bytes = size_bytes(piece->type) / piece->type.shape[0];
  return own + parts_of(piece->values[0].extent() * row_bytes, piece_bytes) + 1;
}

// By the place at which each value lies: what the forms of a step keep lies at the same in all.
class Places {
 public:
  explicit Places(std::int64_t piece_bytes) : piece_bytes_(piece_bytes) {}

  void add(const RunnableStep& step, const std::map<TensorId, TensorPiece>& pieces) {
    for (std::size_t i = 0; i < step.layout.slot_offset_bytes.size(); ++i) {
      if (!step.layout.slot_offset_bytes[i]) continue;
      const auto tensor = static_cast<TensorId>(i);
      const GraphTensor& here = at(step.graph.tensors, tensor);
      const auto piece = pieces.find(tensor);
      const bool outlives = here.home == Home::Storage;
      raise(offset_of(step, tensor),
            outlives ? places_of_pieces(here.type, piece == pieces.end() ? nullptr : &piece->second,
                                        piece_bytes_)
                     : 1);
    }
    const std::vector<bool> by_rows = updates_of_stored_rows(step.graph);
    for (std::size_t i = 0; i < by_rows.size(); ++i)
      if (by_rows[i]) add_rows(step, step.graph.operations[i].inputs[0], pieces);
  }

  std::int64_t count() const {
    std::int64_t sum = 0;
    for (const auto& [offset, places] : places_) sum += places;
    return sum;
  }

 private:
  static std::int64_t offset_of(const RunnableStep& step, TensorId tensor) {
    return at(step.layout.slot_offset_bytes, tensor).value();
  }

  void raise(std::int64_t offset_bytes, std::int64_t places) {
    std::int64_t& there = places_[offset_bytes];
    there = std::max(there, places);
  }

  // Each row of the table may be written by itself.
  void add_rows(const RunnableStep& step, TensorId table,
                const std::map<TensorId, TensorPiece>& pieces) {
    const TensorType& type = at(step.graph.tensors, table).type;
    const auto piece = pieces.find(table);
    raise(offset_of(step, table),
          type.shape[0] + places_of_pieces(type, piece == pieces.end() ? nullptr : &piece->second,
                                           piece_bytes_));
  }

  std::int64_t piece_bytes_;
  std::map<std::int64_t, std::int64_t> places_ = {};  // by offset
};

}  // namespace

std::int64_t count_write_places(const std::vector<RunnableStep>& steps,
                                const std::vector<std::map<TensorId, TensorPiece>>& pieces,
                                std::int64_t piece_bytes) {
  POET_CHECK(steps.size() == pieces.size() && piece_bytes > 0);
  Places places(piece_bytes);
  for (std::size_t k = 0; k < steps.size(); ++k) places.add(steps[k], pieces[k]);
  return places.count();
}

}  // namespace poet
