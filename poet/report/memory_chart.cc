#include "poet/report/memory_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "poet/base/check.h"
#include "poet/report/axis.h"
#include "poet/report/figure_text.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

struct Kind {
  const char* name;
  const char* css_class;
};
constexpr std::array<Kind, kMemoryKinds> kKinds = {{{"parameters and states", "compute"},
                                                    {"activations and inputs", "ram"},
                                                    {"gradients", "page-in"},
                                                    {"workspace", "storage"}}};

// More columns than this cannot be told apart: of neighbours the highest is drawn.
constexpr std::size_t kMostColumns = 1200;

std::vector<MemoryMoment> columns_of(const std::vector<MemoryMoment>& moments) {
  const std::size_t group = (moments.size() + kMostColumns - 1) / kMostColumns;
  std::vector<MemoryMoment> columns;
  for (std::size_t i = 0; i < moments.size(); i += group) {
    const auto begin = moments.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end =
        moments.begin() + static_cast<std::ptrdiff_t>(std::min(i + group, moments.size()));
    columns.push_back(*std::max_element(begin, end, [](const auto& a, const auto& b) {
      return a.total_bytes() < b.total_bytes();
    }));
  }
  return columns;
}

struct Frame {
  double width = 0, left = 0, right = 0, top = 0, bottom = 0;
  double largest_bytes = 1;
  std::size_t columns = 1;

  double x(std::size_t column) const {
    return left + (right - left) * static_cast<double>(column) / static_cast<double>(columns);
  }
  double y(double bytes) const { return bottom - (bottom - top) * bytes / largest_bytes; }
};

// The outline of one kind: along its upper edge, and back along its lower one.
std::string area(const std::vector<MemoryMoment>& columns, std::size_t kind, const Frame& frame) {
  const auto height = [&](const MemoryMoment& moment, std::size_t kinds) {
    std::int64_t bytes = 0;
    for (std::size_t k = 0; k < kinds; ++k) bytes += moment.bytes[k];
    return coordinate(frame.y(static_cast<double>(bytes)));
  };
  std::string path = fmt::format("M{} {}", coordinate(frame.left), coordinate(frame.bottom));
  for (std::size_t i = 0; i < columns.size(); ++i)
    path += fmt::format("V{}H{}", height(columns[i], kind + 1), coordinate(frame.x(i + 1)));
  for (std::size_t i = columns.size(); i-- > 0;)
    path += fmt::format("V{}H{}", height(columns[i], kind), coordinate(frame.x(i)));
  return fmt::format("<path class=\"{}\" d=\"{}Z\"/>\n", kKinds[kind].css_class, path);
}

std::string scales(const Frame& frame, const Axis& up, const Axis& across) {
  std::string out;
  for (const Tick& tick : up.ticks) {
    const double y = frame.y(tick.value);
    out += svg_line(frame.left, y, frame.right, y, "grid");
    out += svg_text(frame.left - 6, y + 4, "end", tick.label);
  }
  for (const Tick& tick : across.ticks) {
    const double x = frame.left + (frame.right - frame.left) * tick.value / across.top;
    if (x > frame.right) continue;
    out += svg_text(x, frame.bottom + 16, "middle", tick.label);
  }
  out += svg_line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
  return out + svg_text(frame.right, frame.bottom + 32, "end", "operations, in order");
}

// In the order in which they lie on each other, the uppermost first.
std::string legend(const Frame& frame, double y) {
  std::string out;
  for (std::size_t k = kMemoryKinds; k-- > 0;) {
    out += svg_rect(frame.left, y - 10, 14, 12, kKinds[k].css_class);
    out += svg_text(frame.left + 20, y, "ink", kKinds[k].name);
    y += 16;
  }
  return out;
}

std::string peak_mark(const std::vector<MemoryMoment>& columns, std::size_t highest,
                      const Frame& frame) {
  const MemoryMoment& peak = columns[highest];
  const double x = (frame.x(highest) + frame.x(highest + 1)) / 2;
  const double y = frame.y(static_cast<double>(peak.total_bytes()));
  const std::string text =
      fmt::format("peak {}, in {}", size_figure(peak.total_bytes()), peak.operation);
  const bool to_the_left = x > (frame.left + frame.right) / 2;
  return svg_line(x, y - 12, x, y, "axis") +
         svg_text(x + (to_the_left ? -4 : 4), y - 4, to_the_left ? "strong end" : "strong", text);
}

}  // namespace

Chart memory_chart(const std::vector<MemoryMoment>& moments, ChartWidth width) {
  POET_CHECK(!moments.empty());
  const std::vector<MemoryMoment> columns = columns_of(moments);
  const auto highest =
      static_cast<std::size_t>(std::max_element(columns.begin(), columns.end(),
                                                [](const auto& a, const auto& b) {
                                                  return a.total_bytes() < b.total_bytes();
                                                }) -
                               columns.begin());
  const auto peak = static_cast<double>(columns[highest].total_bytes());
  const bool narrow = width == ChartWidth::Narrow;
  const Axis up = axis_up_to(peak, Quantity::Bytes, 5);
  const Axis across =
      axis_up_to(static_cast<double>(moments.size()), Quantity::Count, narrow ? 4 : 8);
  Frame frame{.width = chart_px(width),
              .left = narrow ? 60.0 : 76.0,
              .right = chart_px(width) - 8,
              .top = 92,
              .bottom = narrow ? 300.0 : 400.0,
              .largest_bytes = std::max(1.0, peak * 1.02),
              .columns = columns.size()};
  Axis whole = across;
  whole.top = static_cast<double>(moments.size());

  Chart chart;
  chart.name = narrow ? "memory_narrow" : "memory";
  chart.title = "RAM when everything is kept";
  chart.description =
      fmt::format("RAM in use during {}, by what it is for; at most {}, in {}.",
                  counted(std::ssize(moments), "operation"),
                  size_figure(columns[highest].total_bytes()), columns[highest].operation);
  chart.width_px = chart_px(width);
  const auto turn = std::find_if(columns.begin(), columns.end(),
                                 [](const MemoryMoment& moment) { return moment.backward; });
  const double turn_x = frame.x(static_cast<std::size_t>(turn - columns.begin()));
  if (turn != columns.end()) {
    chart.body += svg_rect(turn_x, frame.top - 16, frame.right - turn_x,
                           frame.bottom - frame.top + 16, "shade");
    chart.body += svg_text(frame.right - 4, frame.top - 22, "end", "backward pass");
  }
  chart.body += legend(frame, 16);
  chart.body += scales(frame, up, whole);
  for (std::size_t k = 0; k < kMemoryKinds; ++k) chart.body += area(columns, k, frame);
  chart.body += peak_mark(columns, highest, frame);
  chart.height_px = frame.bottom + 40;
  return chart;
}

}  // namespace poet
