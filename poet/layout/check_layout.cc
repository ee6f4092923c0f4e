#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "poet/layout/layout.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

std::string text(const std::optional<std::int64_t>& offset) {
  return offset ? "an offset of " + std::to_string(*offset) : "no offset";
}

// Bytes [begin, end) that somebody uses.
struct Taken {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::size_t buffer = 0;  // its index, or that of no buffer: a workspace
  MemoryId memory = kFastRam;
  bool fresh = true;  // it was not there while the action before ran
};

// A schedule and its layout, walked action by action as the executor would.
class ArenaWalk {
 public:
  ArenaWalk(const Plan& plan, const Layout& layout)
      : plan_(plan),
        layout_(layout),
        replayed_(replay(plan.problem, plan.schedule)),
        quiet_s_(plan.buffers.size(), 0),
        there_after_(plan.buffers.size(), 0) {}

  Failure run() {
    for (std::size_t a = 0; a < plan_.schedule.actions.size(); ++a) {
      if (Failure broken = step(a)) return broken;
    }
    return std::nullopt;
  }

 private:
  const PlanBuffer& buffer(std::size_t i) const { return plan_.buffers[i]; }

  // Only of what breaks a rule: names of all that is there at each action took longer than the
  // rest.
  std::string name(const Taken& one, std::size_t a) const {
    if (one.buffer == plan_.buffers.size()) return fmt::format("the workspace of action {}", a);
    return fmt::format("buffer {} ('{}')", one.buffer,
                       at(plan_.problem.tensors, buffer(one.buffer).tensor).name);
  }

  std::int64_t arena_bytes(MemoryId memory) const {
    if (memory == kFastRam) return layout_.arena_bytes;
    return layout_.further_arenas[static_cast<std::size_t>(index_of(memory)) - 1].size_bytes;
  }

  Taken taken(std::size_t i, std::size_t a) {
    const std::int64_t begin = layout_.buffer_offset_bytes[i];
    const bool fresh = a == 0 || there_after_[i] != a;
    there_after_[i] = a + 1;
    return {begin, begin + buffer(i).size_bytes, i, buffer(i).memory, fresh};
  }

  // Every buffer in RAM while action `a` runs, every one whose transfer is in flight then, and the
  // workspace.
  std::vector<Taken> taken_at(std::size_t a) {
    const auto action = static_cast<std::int64_t>(a);
    std::vector<Taken> all;
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      const bool held = buffer(i).begin_action <= action && action < buffer(i).end_action;
      const bool in_flight = buffer(i).end_action <= action && replayed_.taken_s[a] < quiet_s_[i];
      if (held || in_flight) all.push_back(taken(i, a));
    }
    if (const std::optional<std::int64_t>& workspace = layout_.workspace_offset_bytes[a])
      all.push_back(
          {*workspace, *workspace + workspace_bytes(a), plan_.buffers.size(), kFastRam, true});
    return all;
  }

  std::int64_t workspace_bytes(std::size_t a) const {
    const Compute* const compute = std::get_if<Compute>(&plan_.schedule.actions[a]);
    return compute == nullptr ? 0
                              : at(plan_.problem.operations, compute->operation).workspace_bytes;
  }

  // Whether one takes over the bytes of the other, directly or through others.
  bool shares(std::size_t i, std::size_t j) const { return owner(i) == owner(j); }
  std::size_t owner(std::size_t i) const {
    while (i < plan_.buffers.size() && buffer(i).shares)
      i = static_cast<std::size_t>(*buffer(i).shares);
    return i;
  }

  Failure step(std::size_t a) {
    if ((workspace_bytes(a) > 0) != layout_.workspace_offset_bytes[a].has_value())
      return bad_input(fmt::format("action {} needs {} bytes of workspace and has {}", a,
                                   workspace_bytes(a), text(layout_.workspace_offset_bytes[a])));
    const std::vector<Taken> all = taken_at(a);
    if (Failure overlapping = refuse_overlap(all, a)) return overlapping;
    for (const Taken& one : all)
      if (one.end > arena_bytes(one.memory))
        return bad_input(fmt::format("{} ends at {}, beyond the arena's {} bytes", name(one, a),
                                     one.end, arena_bytes(one.memory)));
    note_transfer(a);
    return std::nullopt;
  }

  // Two that were both there while the action before ran were compared then: nothing moves.
  Failure refuse_overlap(const std::vector<Taken>& all, std::size_t a) const {
    std::vector<std::size_t> fresh;
    for (std::size_t x = 0; x < all.size(); ++x)
      if (all[x].fresh) fresh.push_back(x);
    for (std::size_t x = 0; x < all.size(); ++x) {
      if (all[x].fresh) {
        for (std::size_t y = x + 1; y < all.size(); ++y)
          if (overlap(all[x], all[y])) return overlapping(all[x], all[y], a);
        continue;
      }
      for (const std::size_t y : fresh)
        if (y > x && overlap(all[x], all[y])) return overlapping(all[x], all[y], a);
    }
    return std::nullopt;
  }

  bool overlap(const Taken& x, const Taken& y) const {
    return x.memory == y.memory && x.begin < y.end && y.begin < x.end && x.begin < x.end &&
           y.begin < y.end && !shares(x.buffer, y.buffer);
  }

  Failure overlapping(const Taken& x, const Taken& y, std::size_t a) const {
    return bad_input(fmt::format("{} at {} and {} at {} overlap while action {} runs", name(x, a),
                                 x.begin, name(y, a), y.begin, a));
  }

  void note_transfer(std::size_t a) {
    const Action& action = plan_.schedule.actions[a];
    const PageOut* const out = std::get_if<PageOut>(&action);
    const PageIn* const in = std::get_if<PageIn>(&action);
    if (out == nullptr && in == nullptr) return;
    const TensorId moved = out != nullptr ? out->tensor : in->tensor;
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i)
      if (buffer(i).tensor == moved && buffer(i).begin_action <= static_cast<std::int64_t>(a) &&
          static_cast<std::int64_t>(a) < buffer(i).end_action)
        quiet_s_[i] = replayed_.moments[a].end_s;
  }

  const Plan& plan_;
  const Layout& layout_;
  const Replay replayed_;
  std::vector<double> quiet_s_;  // by buffer: when the last transfer of it so far ends
  std::vector<std::size_t>
      there_after_;  // by buffer: one more than the last action it was there at
};

Failure refuse_form(const Plan& plan, const Layout& layout) {
  const std::int64_t alignment = layout.alignment_bytes;
  if (alignment < 1 || (alignment & (alignment - 1)) != 0)
    return bad_input(
        fmt::format("the layout's alignment is {}, which is not a power of two", alignment));
  const auto count = [](const char* what, std::size_t found, std::size_t right) -> Failure {
    if (found == right) return std::nullopt;
    return bad_input(fmt::format("the layout has {} {}, the plan {}", found, what, right));
  };
  if (Failure bad = count("buffers", layout.buffer_offset_bytes.size(), plan.buffers.size()))
    return bad;
  if (Failure bad =
          count("actions", layout.workspace_offset_bytes.size(), plan.schedule.actions.size()))
    return bad;
  if (Failure bad = count("further arenas", layout.further_arenas.size(),
                          plan.problem.further_memories.size()))
    return bad;
  return count("tensors", layout.slot_offset_bytes.size(), plan.problem.tensors.size());
}

Failure refuse_offset(const std::string& what, std::int64_t offset, std::int64_t alignment) {
  if (offset >= 0 && offset % alignment == 0) return std::nullopt;
  return bad_input(fmt::format("{} is at {}, which is not a multiple of the alignment of {} bytes",
                               what, offset, alignment));
}

Failure check_offsets(const Plan& plan, const Layout& layout) {
  const std::int64_t alignment = layout.alignment_bytes;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const std::string what = fmt::format("buffer {}", i);
    const std::int32_t memory = index_of(plan.buffers[i].memory);
    if (memory < 0 || memory > std::ssize(layout.further_arenas))
      return bad_input(fmt::format("{} is in memory {}, which has no arena", what, memory));
    const std::optional<std::int64_t>& owner = plan.buffers[i].shares;
    if (owner && plan.buffers[static_cast<std::size_t>(*owner)].memory != plan.buffers[i].memory)
      return bad_input(fmt::format("{} shares the bytes of buffer {}, which is in another memory",
                                   what, *owner));
    if (Failure bad = refuse_offset(what, layout.buffer_offset_bytes[i], alignment)) return bad;
    const std::optional<std::int64_t>& shares = plan.buffers[i].shares;
    if (shares && layout.buffer_offset_bytes[i] !=
                      layout.buffer_offset_bytes[static_cast<std::size_t>(*shares)])
      return bad_input(fmt::format("buffer {} is at {}, but shares the bytes of buffer {} at {}", i,
                                   layout.buffer_offset_bytes[i], *shares,
                                   layout.buffer_offset_bytes[static_cast<std::size_t>(*shares)]));
  }
  for (std::size_t a = 0; a < layout.workspace_offset_bytes.size(); ++a)
    if (const std::optional<std::int64_t>& offset = layout.workspace_offset_bytes[a])
      if (Failure bad =
              refuse_offset(fmt::format("the workspace of action {}", a), *offset, alignment))
        return bad;
  if (Failure bad = refuse_offset("the end of the arena", layout.arena_bytes, alignment))
    return bad;
  for (std::size_t m = 0; m < layout.further_arenas.size(); ++m)
    if (Failure bad = refuse_offset(fmt::format("the end of the arena of memory {}", m + 1),
                                    layout.further_arenas[m].size_bytes, alignment))
      return bad;
  return refuse_offset("the end of storage", layout.storage_bytes, alignment);
}

// A tensor's time in its slot, in actions [begin, end).
struct Stay {
  TensorId tensor{};
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

std::vector<Stay> stays_in_storage(const Plan& plan) {
  const auto count = static_cast<std::int64_t>(plan.schedule.actions.size());
  std::map<TensorId, Stay> stays;
  for (std::size_t i = 0; i < plan.problem.tensors.size(); ++i) {
    const TensorId id{static_cast<std::int32_t>(i)};
    if (plan.problem.tensors[i].home == Home::Storage && !plan.problem.tensors[i].view_of)
      stays[id] = {id, 0, count};
  }
  for (std::int64_t a = 0; a < count; ++a) {
    const Action& action = plan.schedule.actions[static_cast<std::size_t>(a)];
    TensorId moved{};
    if (const PageOut* out = std::get_if<PageOut>(&action))
      moved = out->tensor;
    else if (const PageIn* in = std::get_if<PageIn>(&action))
      moved = in->tensor;
    else
      continue;
    const Tensor& tensor = at(plan.problem.tensors, moved);
    if (tensor.updates || tensor.home == Home::Storage) continue;
    const auto [stay, is_new] = stays.insert({moved, {moved, a, a + 1}});
    if (!is_new) stay->second.end = a + 1;
  }
  std::vector<Stay> all;
  for (const auto& [tensor, stay] : stays) all.push_back(stay);
  return all;
}

Failure check_slot(const Plan& plan, const Layout& layout, const Stay& stay) {
  const std::optional<std::int64_t>& offset = at(layout.slot_offset_bytes, stay.tensor);
  const std::string what =
      fmt::format("the slot of '{}'", at(plan.problem.tensors, stay.tensor).name);
  if (!offset) return bad_input(what + " has no offset");
  if (Failure bad = refuse_offset(what, *offset, layout.alignment_bytes)) return bad;
  if (*offset + at(plan.problem.tensors, stay.tensor).size_bytes > layout.storage_bytes)
    return bad_input(fmt::format("{} at {} ends beyond the {} bytes of storage", what, *offset,
                                 layout.storage_bytes));
  return std::nullopt;
}

Failure check_slots(const Plan& plan, const Layout& layout) {
  const std::vector<Stay> stays = stays_in_storage(plan);
  std::vector<bool> stays_there(plan.problem.tensors.size(), false);
  const auto begin = [&](const Stay& stay) { return *at(layout.slot_offset_bytes, stay.tensor); };
  const auto size = [&](const Stay& stay) {
    return at(plan.problem.tensors, stay.tensor).size_bytes;
  };
  for (const Stay& x : stays) {
    if (Failure bad = check_slot(plan, layout, x)) return bad;
    stays_there[static_cast<std::size_t>(index_of(x.tensor))] = true;
  }
  for (const Stay& x : stays)
    for (const Stay& y : stays)
      if (x.tensor < y.tensor && x.begin < y.end && y.begin < x.end && size(x) > 0 && size(y) > 0 &&
          begin(x) < begin(y) + size(y) && begin(y) < begin(x) + size(x))
        return bad_input(fmt::format("the slots of '{}' at {} and '{}' at {} overlap",
                                     at(plan.problem.tensors, x.tensor).name, begin(x),
                                     at(plan.problem.tensors, y.tensor).name, begin(y)));
  for (std::size_t i = 0; i < plan.problem.tensors.size(); ++i) {
    const Tensor& tensor = plan.problem.tensors[i];
    std::optional<std::int64_t> right;
    if (tensor.updates) right = at(layout.slot_offset_bytes, *tensor.updates);
    if (!stays_there[i] && layout.slot_offset_bytes[i] != right)
      return bad_input(fmt::format("the slot of '{}' has {}, and must have {}", tensor.name,
                                   text(layout.slot_offset_bytes[i]), text(right)));
  }
  return std::nullopt;
}

}  // namespace

Failure check_layout(const Plan& plan, const Layout& layout) {
  if (Failure bad = refuse_form(plan, layout)) return bad;
  if (Failure bad = check_offsets(plan, layout)) return bad;
  if (Failure bad = ArenaWalk(plan, layout).run()) return bad;
  return check_slots(plan, layout);
}

}  // namespace poet
