#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "poet/base/ids.h"
#include "poet/graph/graph.h"
#include "poet/layout/layout.h"
#include "poet/lower/step_program.h"
#include "poet/plan/plan.h"

namespace poet {

// Where plan and layout have a tensor, looked up for any moment: for check_program(), which follows
// nothing. Nothing is the answer where the layout has no place. What it is given outlives it.
class PlannedPlaces {
 public:
  PlannedPlaces(const Graph& graph, const Plan& plan, const Layout& layout);

  std::int64_t true_bytes(TensorId tensor) const;
  // Of a transfer: whole blocks, where those are no more than the problem counts.
  std::int64_t moved_bytes(TensorId tensor, std::int64_t block_bytes) const;
  bool is_resident(TensorId tensor) const;

  // So many bytes of a root's buffer while an action runs; nothing when it has none.
  std::optional<BytePlace> in_arena(TensorId root, std::int64_t action,
                                    std::int64_t size_bytes) const;
  std::optional<BytePlace> in_storage(TensorId tensor, std::int64_t size_bytes) const;
  // Of what is resident or has a slot for good, before the first action and after the last.
  std::optional<BytePlace> at_home(TensorId tensor) const;
  std::optional<BytePlace> workspace(std::int64_t action, std::int64_t size_bytes) const;

 private:
  const Graph& graph_;
  const Plan& plan_;
  const Layout& layout_;
  std::vector<std::vector<std::size_t>> buffers_ = {};  // by tensor, in order of begin_action
};

}  // namespace poet
