#include "poet/report/matrix_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "poet/problem/facts.h"
#include "poet/report/axis.h"
#include "poet/report/figure_text.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

struct PlaceKind {
  Place place;
  const char* name;
  const char* css_class;
};
constexpr PlaceKind kPlaces[] = {{Place::Storage, "in storage", "storage"},
                                 {Place::Ram, "in RAM", "ram"},
                                 {Place::RamAndStorage, "in RAM, with a copy in storage", "both"},
                                 {Place::Further, "in slower memory", "further"},
                                 {Place::FurtherAndStorage, "in slower memory", "further"}};

struct MarkKind {
  ActionKind kind;
  const char* name;
  const char* css_class;
};
// In the order of drawing: what is rarest lies on top.
constexpr MarkKind kMarks[] = {{ActionKind::Compute, "computed now", "compute"},
                               {ActionKind::PageIn, "read from storage", "page-in"},
                               {ActionKind::PageOut, "written to storage", "page-out"},
                               {ActionKind::Recompute, "recomputed", "recompute"}};

struct Frame {
  bool narrow = false;
  double left = 0, top = 0;
  double cell = 1;          // px, of one tensor or stage
  std::int64_t across = 1;  // tensors
  std::int64_t down = 1;    // stages
  std::int64_t bucket = 1;  // tensors and stages that share a cell
  double width() const { return cell * static_cast<double>(across); }
  double height() const { return cell * static_cast<double>(down); }
};

Frame frame_of(const StageMatrix& matrix, ChartWidth width) {
  Frame frame;
  frame.narrow = width == ChartWidth::Narrow;
  frame.left = frame.narrow ? 56 : 60;
  frame.top = 44;
  frame.across = std::max<std::int64_t>(1, std::ssize(matrix.columns));
  frame.down = std::max<std::int64_t>(1, matrix.stages);
  const std::int64_t longest = std::max(frame.across, frame.down);
  frame.bucket = (longest + kMostCells - 1) / kMostCells;
  const double room = chart_px(width) - frame.left - (frame.narrow ? 8 : 232);
  const double room_down = frame.narrow ? 480 : 760;
  frame.cell = std::min({room / static_cast<double>(frame.across),
                         room_down / static_cast<double>(frame.down), frame.narrow ? 18.0 : 26.0});
  return frame;
}

// A rectangle of cells.
struct Cells {
  std::int64_t x = 0, y = 0, width = 1, height = 1;
  auto operator<=>(const Cells&) const = default;
};

Cells cells_of(const PlaceRun& run, std::int64_t bucket) {
  const std::int64_t begin = run.begin_stage / bucket;
  const std::int64_t end = (run.end_stage + bucket - 1) / bucket;
  return Cells{run.column / bucket, begin, 1, end - begin};
}

std::string path_of(const std::set<Cells>& all, const char* css_class) {
  if (all.empty()) return "";
  std::string path = fmt::format("<path class=\"{}\" d=\"", css_class);
  for (const Cells& cells : all)
    path +=
        fmt::format("M{} {}h{}v{}h-{}z", cells.x, cells.y, cells.width, cells.height, cells.width);
  return path + "\"/>\n";
}

// Marks are drawn at least this large, so that a single one among hundreds is seen.
std::string mark_path(const std::set<Cells>& all, const Frame& frame, const char* css_class) {
  if (all.empty()) return "";
  const double cell_px = frame.cell * static_cast<double>(frame.bucket);
  const double side = std::max(1.0, (frame.narrow ? 2.5 : 3.0) / cell_px);
  const std::string length = coordinate(side);
  std::string path = fmt::format("<path class=\"{}\" d=\"", css_class);
  for (const Cells& cells : all)
    path += fmt::format(
        "M{} {}h{}v{}h-{}z", coordinate(static_cast<double>(cells.x) - (side - 1) / 2),
        coordinate(static_cast<double>(cells.y) - (side - 1) / 2), length, length, length);
  return path + "\"/>\n";
}

std::string draw_cells(const StageMatrix& matrix, const Frame& frame) {
  std::string out = fmt::format(
      "<g class=\"cells\" transform=\"translate({} {}) scale({:.6f})\">\n", coordinate(frame.left),
      coordinate(frame.top), frame.cell * static_cast<double>(frame.bucket));
  for (const PlaceKind& kind : kPlaces) {
    std::set<Cells> cells;
    for (const PlaceRun& run : matrix.runs)
      if (run.place == kind.place) cells.insert(cells_of(run, frame.bucket));
    out += path_of(cells, kind.css_class);
  }
  for (const MarkKind& kind : kMarks) {
    std::set<Cells> cells;
    for (const StageMark& mark : matrix.marks)
      if (mark.kind == kind.kind)
        cells.insert(Cells{mark.column / frame.bucket, mark.stage / frame.bucket, 1, 1});
    out += mark_path(cells, frame, kind.css_class);
  }
  return out + "</g>\n";
}

std::string draw_axes(const Frame& frame) {
  std::string out = svg_rect(frame.left, frame.top, frame.width(), frame.height(), "frame");
  const int wanted_across = std::max(2, static_cast<int>(frame.width() / 70));
  const int wanted_down = std::max(2, static_cast<int>(frame.height() / 60));
  for (const Tick& tick :
       axis_up_to(static_cast<double>(frame.across - 1), Quantity::Count, wanted_across).ticks) {
    const double x = frame.left + (tick.value + 0.5) * frame.cell;
    if (tick.value > static_cast<double>(frame.across - 1)) continue;
    out += svg_line(x, frame.top - 4, x, frame.top, "axis");
    out += svg_text(x, frame.top - 8, "middle", tick.label);
  }
  for (const Tick& tick :
       axis_up_to(static_cast<double>(frame.down - 1), Quantity::Count, wanted_down).ticks) {
    const double y = frame.top + (tick.value + 0.5) * frame.cell;
    if (tick.value > static_cast<double>(frame.down - 1)) continue;
    out += svg_line(frame.left - 4, y, frame.left, y, "axis");
    out += svg_text(frame.left - 8, y + 4, "end", tick.label);
  }
  out +=
      svg_text(frame.left, frame.top - 28, "ink", "tensors, in the order in which they appear →");
  return out + svg_text(frame.left - 8, frame.top - 8, "ink end", "stage ↓");
}

// Where the backward pass begins, if there is one: as a stage, and as a column.
struct Turn {
  std::optional<std::int64_t> stage;
  std::optional<std::int64_t> column;
};

Turn turn_of(const Problem& problem, const StageMatrix& matrix) {
  Turn turn;
  for (std::int64_t v = 0; v < std::ssize(problem.operations) && !turn.stage; ++v)
    if (problem.operations[static_cast<std::size_t>(v)].backward) turn.stage = v;
  if (!turn.stage) return turn;
  const OperationId first{static_cast<std::int32_t>(*turn.stage)};
  for (const TensorId output : at(problem.operations, first).outputs) {
    const auto place =
        std::find(matrix.columns.begin(), matrix.columns.end(), root_of(problem, output));
    if (place != matrix.columns.end() && !turn.column) turn.column = place - matrix.columns.begin();
  }
  return turn;
}

// Where the word beside the turn stands.
std::optional<double> turn_text_y(const Turn& turn, const Frame& frame) {
  if (!turn.stage || *turn.stage <= 0 || frame.narrow) return std::nullopt;
  const double y = frame.top + static_cast<double>(*turn.stage) * frame.cell;
  return y < frame.top + frame.height() - 12 ? std::optional(y + 4) : std::nullopt;
}

std::string draw_turn(const Turn& turn, const Frame& frame) {
  std::string out;
  const double right = frame.left + frame.width();
  const double bottom = frame.top + frame.height();
  if (turn.stage && *turn.stage > 0) {
    const double y = frame.top + static_cast<double>(*turn.stage) * frame.cell;
    out += svg_line(frame.left, y, right, y, "turn");
    if (const std::optional<double> text_y = turn_text_y(turn, frame))
      out += svg_text(right + 6, *text_y, "", "backward ↓");
  }
  if (turn.column && *turn.column > 0) {
    const double x = frame.left + static_cast<double>(*turn.column) * frame.cell;
    out += svg_line(x, frame.top, x, bottom, "turn");
  }
  return out;
}

struct LegendRow {
  const char* name;
  const char* css_class;
};

std::vector<LegendRow> legend_of(const StageMatrix& matrix) {
  std::vector<LegendRow> rows;
  for (const MarkKind& kind : kMarks)
    if (std::any_of(matrix.marks.begin(), matrix.marks.end(),
                    [&](const StageMark& mark) { return mark.kind == kind.kind; }))
      rows.push_back(LegendRow{kind.name, kind.css_class});
  for (const PlaceKind& kind : kPlaces)
    if (std::any_of(matrix.runs.begin(), matrix.runs.end(),
                    [&](const PlaceRun& run) { return run.place == kind.place; }) &&
        (rows.empty() || std::string_view(rows.back().name) != kind.name))
      rows.push_back(LegendRow{kind.name, kind.css_class});
  return rows;
}

// Rows that would lie on a line of text elsewhere come below it.
std::string draw_legend(const std::vector<LegendRow>& rows, double x, double y,
                        std::optional<double> text_y = {}) {
  std::string out;
  for (const LegendRow& row : rows) {
    if (text_y && y < *text_y + 6 && *text_y - 10 < y + 14) y = *text_y + 8;
    out += svg_rect(x, y, 14, 14, row.css_class);
    out += svg_text(x + 22, y + 11, "ink", row.name);
    y += 22;
  }
  return out;
}

}  // namespace

Chart matrix_chart(const Problem& problem, const StageMatrix& matrix, ChartWidth width) {
  const Frame frame = frame_of(matrix, width);
  const std::vector<LegendRow> legend = legend_of(matrix);
  const double legend_px = 22 * static_cast<double>(legend.size());
  const Turn turn = turn_of(problem, matrix);
  Chart chart;
  chart.name = frame.narrow ? "stages_narrow" : "stages";
  chart.title = "What lies in RAM and in storage, stage by stage";
  chart.description = fmt::format(
      "{} down, {} across. Each cell says where the tensor lies while the operation of "
      "the stage runs for the first time, and what happens to it in the stage.",
      counted(matrix.stages, "stage"), counted(std::ssize(matrix.columns), "tensor"));
  chart.width_px = chart_px(width);
  chart.body = draw_cells(matrix, frame) + draw_axes(frame) + draw_turn(turn, frame);
  const double bottom = frame.top + frame.height();
  if (frame.narrow) {
    chart.body += draw_legend(legend, frame.left, bottom + 16);
    chart.height_px = bottom + 16 + legend_px;
  } else {
    chart.body += draw_legend(legend, std::max(frame.left + frame.width() + 24, 300.0), frame.top,
                              turn_text_y(turn, frame));
    chart.height_px = std::max(bottom, frame.top + legend_px + 22) + 4;
  }
  chart.attributes =
      fmt::format(" data-chart=\"stages\" data-left=\"{}\" data-top=\"{}\" data-cell=\"{:.6f}\"",
                  coordinate(frame.left), coordinate(frame.top), frame.cell);
  return chart;
}

}  // namespace poet
