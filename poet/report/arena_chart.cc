#include "poet/report/arena_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "poet/base/check.h"
#include "poet/report/axis.h"
#include "poet/report/figure_text.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

struct UseLook {
  const char* name;
  const char* css_class;
};
constexpr std::array<UseLook, kArenaUses> kUses = {{{"there for good", "compute"},
                                                    {"made by an operation", "ram"},
                                                    {"brought in", "page-in"},
                                                    {"workspace", "storage"}}};

// Pieces thinner than this in both directions are not seen, and named ones must be worth it.
constexpr double kThinnest_px = 0.4;
constexpr std::size_t kMostNames = 60;

struct ArenaFrame {
  double left = 0, right = 0, top = 0, bottom = 0;
  double actions = 1;
  double bytes = 1;

  double x(std::int64_t action) const {
    return left + (right - left) * static_cast<double>(action) / actions;
  }
  double y(std::int64_t at_bytes) const {
    return bottom - (bottom - top) * static_cast<double>(at_bytes) / bytes;
  }
};

ArenaUse use_of(const Plan& plan, const PlanBuffer& buffer) {
  const auto count = static_cast<std::int64_t>(plan.schedule.actions.size());
  if (buffer.begin_action == 0 && buffer.end_action == count) return ArenaUse::Resident;
  const Action& first = plan.schedule.actions[static_cast<std::size_t>(buffer.begin_action)];
  return std::holds_alternative<PageIn>(first) ? ArenaUse::Read : ArenaUse::Made;
}

// One path for all pieces of a use: a step has thousands.
std::string pieces_path(const ArenaPicture& picture, ArenaUse use, const ArenaFrame& frame) {
  std::string path;
  for (const ArenaPiece& piece : picture.pieces) {
    const double width = frame.x(piece.end_action) - frame.x(piece.begin_action);
    const double height = frame.y(piece.begin_bytes) - frame.y(piece.end_bytes);
    if (piece.use != use || (width < kThinnest_px && height < kThinnest_px)) continue;
    path +=
        fmt::format("M{} {}H{}V{}H{}z", coordinate(frame.x(piece.begin_action)),
                    coordinate(frame.y(piece.begin_bytes)), coordinate(frame.x(piece.end_action)),
                    coordinate(frame.y(piece.end_bytes)), coordinate(frame.x(piece.begin_action)));
  }
  if (path.empty()) return "";
  return fmt::format("<path class=\"{} piece\" d=\"{}\"/>\n",
                     kUses[static_cast<std::size_t>(use)].css_class, path);
}

// Where a name has room.
std::string names(const ArenaPicture& picture, const ArenaFrame& frame) {
  std::string out;
  std::size_t named = 0;
  for (const ArenaPiece& piece : picture.pieces) {
    const double width = frame.x(piece.end_action) - frame.x(piece.begin_action);
    const double middle = (frame.y(piece.begin_bytes) + frame.y(piece.end_bytes)) / 2;
    const bool has_room = frame.y(piece.begin_bytes) - frame.y(piece.end_bytes) > 15 &&
                          width > text_px(piece.name) + 8;
    if (!has_room || named++ >= kMostNames) continue;
    out += svg_text((frame.x(piece.begin_action) + frame.x(piece.end_action)) / 2, middle + 4,
                    "ink middle halo", piece.name);
  }
  return out;
}

std::string legend(const ArenaPicture& picture, double left, double y) {
  std::string out;
  for (std::size_t use = 0; use < kArenaUses; ++use) {
    const bool is_there = std::any_of(
        picture.pieces.begin(), picture.pieces.end(),
        [use](const ArenaPiece& piece) { return static_cast<std::size_t>(piece.use) == use; });
    if (!is_there) continue;
    out += svg_rect(left, y - 10, 14, 12, kUses[use].css_class);
    out += svg_text(left + 20, y, "ink", kUses[use].name);
    y += 16;
  }
  return out;
}

std::string scales(const ArenaPicture& picture, const ArenaFrame& frame, bool narrow) {
  std::string out;
  for (const Tick& tick : axis_up_to(frame.bytes, Quantity::Bytes, 5).ticks) {
    const double y = frame.y(static_cast<std::int64_t>(tick.value));
    out += svg_line(frame.left, y, frame.right, y, "grid");
    out += svg_text(frame.left - 6, y + 4, "end", tick.label);
  }
  for (const Tick& tick : axis_up_to(frame.actions, Quantity::Count, narrow ? 4 : 8).ticks)
    out += svg_text(frame.x(static_cast<std::int64_t>(tick.value)), frame.bottom + 16, "middle",
                    tick.label);
  out += svg_line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
  if (picture.ram_budget_bytes <= picture.arena_bytes * 5 / 4) {
    const double y = frame.y(picture.ram_budget_bytes);
    out += svg_line(frame.left, y, frame.right, y, "budget");
    out += svg_text(frame.right, y - 5, "end", picture.limit);
  }
  return out + svg_text(frame.right, frame.bottom + 32, "end", "actions, in order");
}

}  // namespace

namespace {

ArenaPicture empty_picture(const Plan& plan, const Layout& layout, MemoryId memory) {
  const std::int64_t actions = std::ssize(plan.schedule.actions);
  if (memory == kFastRam)
    return {.arena_bytes = layout.arena_bytes,
            .ram_budget_bytes = plan.problem.ram_budget_bytes,
            .actions = actions};
  const auto further = static_cast<std::size_t>(index_of(memory) - 1);
  const FurtherMemory& which = plan.problem.further_memories[further];
  return {.arena_bytes = layout.further_arenas[further].size_bytes,
          .ram_budget_bytes = which.size_bytes,
          .limit = "size of " + which.name,
          .actions = actions};
}

}  // namespace

ArenaPicture arena_picture(const Plan& plan, const Layout& layout, MemoryId memory) {
  ArenaPicture picture = empty_picture(plan, layout, memory);
  const std::vector<PlanBuffer> buffers = arena_buffers(plan);
  POET_CHECK(buffers.size() == layout.buffer_offset_bytes.size());
  for (std::size_t b = 0; b < buffers.size(); ++b)
    if (buffers[b].memory == memory)
      picture.pieces.push_back({.name = at(plan.problem.tensors, buffers[b].tensor).name,
                                .use = use_of(plan, buffers[b]),
                                .begin_bytes = layout.buffer_offset_bytes[b],
                                .end_bytes = layout.buffer_offset_bytes[b] + buffers[b].size_bytes,
                                .begin_action = buffers[b].begin_action,
                                .end_action = buffers[b].end_action});
  for (std::size_t a = 0; memory == kFastRam && a < layout.workspace_offset_bytes.size(); ++a) {
    const std::optional<std::int64_t>& offset = layout.workspace_offset_bytes[a];
    const auto* const compute = std::get_if<Compute>(&plan.schedule.actions[a]);
    if (!offset || compute == nullptr) continue;
    const Operation& operation = at(plan.problem.operations, compute->operation);
    picture.pieces.push_back({.name = operation.name,
                              .use = ArenaUse::Workspace,
                              .begin_bytes = *offset,
                              .end_bytes = *offset + operation.workspace_bytes,
                              .begin_action = static_cast<std::int64_t>(a),
                              .end_action = static_cast<std::int64_t>(a) + 1});
  }
  std::stable_sort(
      picture.pieces.begin(), picture.pieces.end(),
      [](const ArenaPiece& a, const ArenaPiece& b) { return a.begin_bytes < b.begin_bytes; });
  return picture;
}

Chart arena_chart(const ArenaPicture& picture, ChartWidth width) {
  POET_CHECK(picture.actions > 0);
  const bool narrow = width == ChartWidth::Narrow;
  const std::int64_t highest = picture.ram_budget_bytes <= picture.arena_bytes * 5 / 4
                                   ? std::max(picture.ram_budget_bytes, picture.arena_bytes)
                                   : picture.arena_bytes;
  const ArenaFrame frame{.left = narrow ? 60.0 : 76.0,
                         .right = chart_px(width) - 8,
                         .top = 96,
                         .bottom = narrow ? 340.0 : 480.0,
                         .actions = static_cast<double>(picture.actions),
                         .bytes = std::max(1.0, 1.02 * static_cast<double>(highest))};
  Chart chart;
  chart.name = (picture.name.empty() ? "arena" : "arena_" + picture.name) +
               std::string(narrow ? "_narrow" : "");
  chart.title = "What lies where in the arena";
  chart.description = fmt::format(
      "The addresses of {} over {}: the arena is {}, the {} {}.",
      counted(std::ssize(picture.pieces), "buffer"), counted(picture.actions, "action"),
      size_figure(picture.arena_bytes), picture.limit, size_figure(picture.ram_budget_bytes));
  chart.width_px = chart_px(width);
  chart.body = legend(picture, frame.left, 16);
  chart.body += scales(picture, frame, narrow);
  for (std::size_t use = 0; use < kArenaUses; ++use)
    chart.body += pieces_path(picture, static_cast<ArenaUse>(use), frame);
  chart.body += names(picture, frame);
  chart.height_px = frame.bottom + 40;
  return chart;
}

}  // namespace poet
