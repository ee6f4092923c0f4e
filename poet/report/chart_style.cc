#include "poet/report/chart.h"

namespace poet {
namespace {

constexpr std::string_view kLight =
    R"css(  --paper: #ffffff; --ink: #1b2430; --soft: #566274; --grid: #e3e8ee; --shade: #f1f4f8; --line: #c8d0da;
  --ram: #a9cdea; --ram-edge: #2b6ca3; --both: #4fa596; --storage: #ecdcae;
  --compute: #1d4f7c; --recompute: #d55e00; --page-in: #b3478f; --page-out: #00805f; --idle: #8d97a5;
  --tone-0: #0072b2; --tone-1: #00805f; --tone-2: #b3478f; --tone-3: #9a7400; --tone-4: #3d93d1; --tone-5: #566274; --tone-6: #5b3fb5;
)css";

constexpr std::string_view kDark =
    R"css(  --paper: #1a212b; --ink: #e8ecf1; --soft: #a3afbe; --grid: #2c3643; --shade: #212a36; --line: #465364;
  --ram: #2f5f8d; --ram-edge: #7db8ea; --both: #4c9a8b; --storage: #5b4f2c;
  --compute: #a8d3f7; --recompute: #ff8c42; --page-in: #ee9ad0; --page-out: #3fcf9f; --idle: #7d8897;
  --tone-0: #5aaeea; --tone-1: #3fcf9f; --tone-2: #ee9ad0; --tone-3: #e3bd4f; --tone-4: #a8dcff; --tone-5: #a3afbe; --tone-6: #b3a2ff;
)css";

}  // namespace

// Paper is light, whatever the screen prefers.
std::string chart_colours() {
  std::string css = ":root {\n  color-scheme: light dark;\n";
  css += kLight;
  css += "}\n@media (prefers-color-scheme: dark) {\n  :root {\n";
  css += kDark;
  css += "  }\n}\n@media print {\n  :root {\n";
  css += kLight;
  return css + "  }\n}\n";
}

std::string_view chart_style() {
  return R"css(.chart { font: 12px/1.2 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.chart text { fill: var(--soft); font-variant-numeric: tabular-nums; }
.chart .strong { fill: var(--ink); font-weight: 600; }
.chart .ink { fill: var(--ink); }
.chart .end { text-anchor: end; }
.chart .middle { text-anchor: middle; }
.chart .paper { fill: var(--paper); }
.chart .shade { fill: var(--shade); }
.chart .grid { stroke: var(--grid); fill: none; }
.chart .axis { stroke: var(--line); fill: none; }
.chart .turn { stroke: var(--soft); stroke-dasharray: 1 3; fill: none; }
.chart .leader { stroke: var(--line); fill: none; }
.chart .budget { stroke: var(--ink); stroke-width: 2; fill: none; }
.chart .floor { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 6 4; fill: none; }
.chart .plain { stroke: var(--soft); stroke-width: 1.75; stroke-dasharray: 1.5 3.5; stroke-linecap: round; fill: none; }
.chart .ram-edge { stroke: var(--ram-edge); stroke-width: 1.25; stroke-linejoin: round; fill: none; }
.chart .peak { fill: var(--ram-edge); stroke: var(--paper); stroke-width: 1.5; }
.chart .ram { fill: var(--ram); } .chart .both { fill: var(--both); } .chart .storage { fill: var(--storage); }
.chart .compute { fill: var(--compute); } .chart .recompute { fill: var(--recompute); }
.chart .page-in { fill: var(--page-in); } .chart .page-out { fill: var(--page-out); }
.chart .idle { fill: var(--idle); }
.chart .piece { stroke: var(--paper); stroke-width: .5; }
.chart .over { fill: var(--recompute); }
.chart .gap { fill: var(--paper); }
.chart .wedge { fill: var(--shade); }
.chart .frame { fill: none; stroke: var(--line); }
.chart .cells { shape-rendering: crispEdges; }
.chart .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
.chart .below { fill: var(--line); fill-opacity: .35; }
.chart .tone-0 { --tone: var(--tone-0); } .chart .tone-1 { --tone: var(--tone-1); } .chart .tone-2 { --tone: var(--tone-2); }
.chart .tone-3 { --tone: var(--tone-3); } .chart .tone-4 { --tone: var(--tone-4); } .chart .tone-5 { --tone: var(--tone-5); }
.chart .tone-6 { --tone: var(--tone-6); } .chart .foremost { --tone: var(--recompute); }
.chart .curve { fill: none; stroke: var(--tone); stroke-width: 1.75; stroke-linejoin: round; }
.chart .dash-1 .curve { stroke-dasharray: 7 3; } .chart .dash-2 .curve { stroke-dasharray: 2 2.5; }
.chart .dash-3 .curve { stroke-dasharray: 9 3 2 3; } .chart .dash-4 .curve { stroke-dasharray: 14 4; }
.chart .foremost .curve { stroke-width: 6.5; }
.chart .device { stroke: var(--soft); stroke-width: 1.25; fill: none; }
.chart .mark { fill: var(--tone); stroke: var(--paper); stroke-width: 1; }
.chart .hollow { fill: var(--paper); stroke: var(--tone); stroke-width: 1.5; }
)css";
}

}  // namespace poet
