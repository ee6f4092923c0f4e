#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/layout/layout.h"
#include "poet/plan/plan.h"
#include "poet/report/chart.h"

namespace poet {

// Why a piece of the arena is taken.
enum class ArenaUse {
  Resident,   // over all actions
  Made,       // by an operation
  Read,       // from storage, or an input that was brought in
  Workspace,  // of one action
};
constexpr std::size_t kArenaUses = 4;

// Bytes [begin_bytes, end_bytes) of the arena, taken over actions [begin_action, end_action).
struct ArenaPiece {
  std::string name = {};  // of the tensor, or of the operation whose workspace it is
  ArenaUse use = ArenaUse::Made;
  std::int64_t begin_bytes = 0;
  std::int64_t end_bytes = 0;
  std::int64_t begin_action = 0;
  std::int64_t end_action = 0;

  bool operator==(const ArenaPiece&) const = default;
};

// Where everything lies in the arena while a step runs.
struct ArenaPicture {
  std::string name = {};  // of the step, where a page has several: "first", "evaluation"
  std::int64_t arena_bytes = 0;
  std::int64_t ram_budget_bytes = 0;  // or the size of another memory
  std::string limit = "RAM budget";   // what that is
  std::int64_t actions = 0;
  std::vector<ArenaPiece> pieces = {};  // lowest first

  bool operator==(const ArenaPicture&) const = default;
};

// Of a plan and its layout (check_layout() passes it): of one memory.
ArenaPicture arena_picture(const Plan& plan, const Layout& layout, MemoryId memory = kFastRam);

// Addresses upwards, actions to the right. There must be at least one action.
Chart arena_chart(const ArenaPicture& picture, ChartWidth width);

}  // namespace poet
