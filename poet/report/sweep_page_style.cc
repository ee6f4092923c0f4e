#include "poet/report/sweep_page_parts.h"

namespace poet {

std::string_view sweep_page_style() {
  return R"css(h3 { margin: 26px 0 8px; font-size: 16px; font-weight: 650; }
.contents { margin: 0 0 20px; padding: 0; list-style: none; font-size: 15px; }
.contents a { color: inherit; overflow-wrap: anywhere; }
section > h2 { overflow-wrap: anywhere; }
.methods { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: center; margin: 0 0 18px; padding: 0; border: 0; min-width: 0; font-size: 14px; }
.methods legend { float: left; padding: 0; margin-right: 18px; font-weight: 600; }
.methods label { display: inline-flex; align-items: center; gap: 6px; max-width: 100%; cursor: pointer; }
.methods input { display: none; margin: 0; width: 16px; height: 16px; accent-color: var(--ram-edge); }
.methods button { display: none; padding: 1px 12px; font-size: 13px; background: var(--paper); border: 1px solid var(--line); border-radius: 999px; cursor: pointer; }
.script .methods input, .script .methods button { display: inline-block; }
.methods input:not(:checked) ~ .method { opacity: .45; }
.method { display: inline-flex; align-items: center; gap: 7px; min-width: 0; overflow-wrap: anywhere; }
.chart.sample { display: inline-block; flex: none; width: 32px; height: 14px; overflow: visible; }
.chart.sample .foremost .mark { transform: scale(.75); transform-origin: 16px 7px; }
.plots .wide, .plots .narrow { margin: 0 0 18px; break-inside: avoid; }
.off { display: none; }
.scroll.whole { max-height: none; }
.chart [data-at] { cursor: default; }
.script .chart [data-at] { outline: none; }
.chart [data-at]:focus-visible { stroke: var(--ink); stroke-width: 3.5; paint-order: stroke; }
.picked g[data-method]:not(.near) { opacity: .25; }
table { font-size: 13px; }
thead th { padding: 8px 9px; vertical-align: bottom; text-wrap: balance; }
tbody td, tbody th { padding: 5px 9px; overflow-wrap: anywhere; }
thead .number { white-space: normal; }
td:not(.number) { min-width: 10em; }
tbody th { min-width: 9em; }
tbody .method { min-width: 10em; }
tbody .own { background: var(--shade); }
tbody .own th { font-weight: 650; }
@media (max-width: 700px) {
  thead th, tbody td, tbody th { padding-left: 5px; padding-right: 5px; }
  .methods { gap: 8px 16px; }
  .methods legend { float: none; width: 100%; }
}
@media print {
  header { padding-top: 0; }
  main, header, footer { padding-left: 0; padding-right: 0; }
  h1 { font-size: 20px; margin-bottom: 8px; }
  h2, .methods { font-size: 13px; }
  h3 { font-size: 13px; margin: 14px 0 4px; }
  section { padding: 8px 12px; margin-bottom: 10px; }
  section > p, .methods { margin-bottom: 6px; }
  .plots .wide { margin-bottom: 8px; }
  .methods input, .script .methods input, .script .methods button { display: none; }
  .methods label:has(input:not(:checked)) { display: none; }
  .picked g[data-method]:not(.near) { opacity: 1; }
  thead th { white-space: normal; }
  table { font-size: 9px; }
  thead th, tbody td, tbody th { padding: 2px 5px; }
  td:not(.number), tbody th { min-width: 0; }
  tr { break-inside: avoid; }
  section.long { border: 0; padding: 0; }
  h2, h3 { break-after: avoid; }
}
)css";
}

std::string_view sweep_page_glossary() {
  return R"html(<dl class="glossary">
<div><dt>RAM budget</dt><dd>The most RAM that tensors and work space may take at any moment of a training step.</dd></div>
<div><dt>Plain peak</dt><dd>What training needs when nothing is recomputed or paged. With this much, nothing needs to be planned.</dd></div>
<div><dt>Largest working set</dt><dd>What the most demanding single operation needs: its inputs, outputs and work space. No schedule can do with less.</dd></div>
<div><dt>Unavoidable, overhead</dt><dd>Running every operation once, and reading and writing what lives in storage, is unavoidable. All beyond that is overhead: what the small RAM costs.</dd></div>
<div><dt>Fits</dt><dd>The method's schedule keeps every limit, by a replay of its actions. A method that does not fit at a budget has no point there.</dd></div>
<div><dt>Proved bound</dt><dd>No schedule of the class has less. The class: the order of operations is given, and what one stage recomputes runs in that order, each operation at most once in the stage.</dd></div>
<div><dt>Recompute</dt><dd>Drop a tensor from RAM and run its operation again when it is needed. It costs energy and time.</dd></div>
<div><dt>Page</dt><dd>Write a tensor to storage (flash, an SD card) and read it back later.</dd></div>
<div><dt>Deadline</dt><dd>The most time that one training step may take.</dd></div>
</dl>
)html";
}

}  // namespace poet
