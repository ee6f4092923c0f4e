#include "poet/report/page_parts.h"

namespace poet {

std::string_view page_style() {
  return R"css(:root { --page: #f5f7f9; --best: #00805f; --found: #1d5f96; --no: #b54a00; }
@media (prefers-color-scheme: dark) {
  :root { --page: #11161d; --best: #3fcf9f; --found: #7db8ea; --no: #ff9a57; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main, header, footer { max-width: 1060px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 36px; }
footer { padding-bottom: 40px; color: var(--soft); font-size: 14px; }
.kicker { margin: 0; color: var(--soft); font-size: 14px; letter-spacing: .04em; }
h1 { margin: 2px 0 20px; font-size: 30px; line-height: 1.2; font-weight: 650; overflow-wrap: anywhere; }
h1 span { color: var(--soft); font-weight: 400; }
h2 { margin: 0 0 4px; font-size: 19px; line-height: 1.3; font-weight: 650; }
section > p { margin: 0 0 16px; color: var(--soft); max-width: 84ch; text-wrap: pretty; }
section {
  margin: 0 0 20px; padding: 22px 24px; background: var(--paper);
  border: 1px solid var(--grid); border-radius: 10px;
}
.verdict { border-left: 6px solid var(--tone); }
.verdict h2 { font-size: 24px; color: var(--tone); }
.verdict p { margin: 0; color: var(--ink); overflow-wrap: anywhere; }
.best { --tone: var(--best); } .found { --tone: var(--found); }
.no, .broken { --tone: var(--no); } .unknown { --tone: var(--soft); }
.notes { margin: 12px 0 0; padding-left: 20px; overflow-wrap: anywhere; }
.cards {
  display: grid; grid-template-columns: repeat(3, 1fr); gap: 14px;
  margin: 0 0 20px; padding: 0;
}
.cards.four { grid-template-columns: repeat(4, 1fr); }
.card { padding: 16px 18px; background: var(--paper); border: 1px solid var(--grid); border-radius: 10px; }
.card h3 { margin: 0; font-size: 14px; font-weight: 500; color: var(--soft); }
.card .value { margin: 2px 0 4px; font-size: 26px; line-height: 1.2; font-weight: 650; font-variant-numeric: tabular-nums; }
.card .more { margin: 0; font-size: 14px; line-height: 1.45; color: var(--soft); overflow-wrap: anywhere; }
.chart { display: block; width: 100%; height: auto; touch-action: pan-y; }
.narrow { display: none; }
#by-time:checked ~ .over-actions, #by-action:checked ~ .over-time { display: none; }
.choice { position: absolute; opacity: 0; }
.tab {
  display: inline-block; margin: 0 6px 14px 0; padding: 3px 12px; font-size: 14px; color: var(--soft);
  border: 1px solid var(--line); border-radius: 999px; cursor: pointer;
}
#by-action:checked ~ .tab-action, #by-time:checked ~ .tab-time {
  color: var(--paper); background: var(--ink); border-color: var(--ink);
}
#by-action:focus-visible ~ .tab-action, #by-time:focus-visible ~ .tab-time { outline: 3px solid var(--ram-edge); outline-offset: 2px; }
.controls { display: none; flex-wrap: wrap; gap: 10px 18px; align-items: center; margin: 0 0 12px; font-size: 14px; }
.script .controls { display: flex; }
.controls output { color: var(--soft); }
input[type=search], select, button { font: inherit; color: inherit; }
input[type=search], select {
  margin-left: 6px; padding: 4px 8px; background: var(--page); border: 1px solid var(--line); border-radius: 6px;
}
.scroll { max-height: 480px; overflow: auto; border: 1px solid var(--grid); border-radius: 6px; }
table { width: 100%; border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
thead th { position: sticky; top: 0; background: var(--shade); font-weight: 600; text-align: left; z-index: 1; }
thead button { width: 100%; padding: 8px 12px; text-align: inherit; background: none; border: 0; cursor: pointer; font-weight: 600; white-space: nowrap; }
th[aria-sort] button::after { content: " ↓"; }
th[aria-sort=ascending] button::after { content: " ↑"; }
tbody td, tbody th { padding: 6px 12px; border-top: 1px solid var(--grid); text-align: left; font-weight: 400; vertical-align: top; }
tbody th { overflow-wrap: anywhere; min-width: 7em; }
.number, tbody .number { text-align: right; white-space: nowrap; }
tbody .stages { white-space: normal; }
.chip { white-space: nowrap; }
.chip::before { content: ""; display: inline-block; width: 10px; height: 10px; margin-right: 7px; border-radius: 2px; background: var(--chip); }
.chip.recompute { --chip: var(--recompute); } .chip.page-in { --chip: var(--page-in); } .chip.page-out { --chip: var(--page-out); }
.command { position: relative; }
pre { margin: 0; padding: 14px 16px; background: var(--shade); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 14px; line-height: 1.5; }
pre span { display: inline-block; max-width: 100%; vertical-align: top; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
#copy { display: none; margin-top: 10px; padding: 4px 14px; font-size: 14px; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; cursor: pointer; }
.script #copy { display: inline-block; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 0 40px; margin: 8px 0 0; font-size: 14px; }
.facts div { display: flex; justify-content: space-between; gap: 16px; padding: 5px 0; border-bottom: 1px solid var(--grid); }
.facts dt { color: var(--soft); flex: none; }
.facts dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; min-width: 0; }
.glossary { columns: 2 320px; column-gap: 40px; margin: 8px 0 0; font-size: 14px; }
.glossary div { break-inside: avoid; margin: 0 0 10px; }
.glossary dt { font-weight: 600; }
.glossary dd { margin: 0; color: var(--soft); }
#tip {
  position: fixed; z-index: 9; max-width: min(340px, calc(100vw - 16px)); padding: 8px 12px; pointer-events: none;
  background: var(--ink); color: var(--paper); border-radius: 6px; font-size: 13px; line-height: 1.4; overflow-wrap: anywhere;
}
#tip[hidden] { display: none; }
#tip strong, #tip span { display: block; }
@media (max-width: 700px) {
  main, header, footer { padding-left: 12px; padding-right: 12px; }
  header { padding-top: 20px; }
  h1 { font-size: 24px; }
  section { padding: 16px 14px; }
  .cards, .cards.four { grid-template-columns: 1fr 1fr; gap: 10px; }
  .card { padding: 12px 14px; }
  .card .value { font-size: 21px; }
  .wide { display: none; }
  .narrow { display: block; }
  .stages, .bytes, .time { display: none; }
  table { font-size: 13px; }
  thead button, tbody td, tbody th { padding-left: 5px; padding-right: 5px; }
  tbody th { min-width: 5em; }
  .chip::before { margin-right: 5px; }
  .facts { grid-template-columns: 1fr; }
}
@media print {
  :root { --page: #ffffff; --best: #00805f; --found: #1d5f96; --no: #b54a00; }
  body { font-size: 12px; }
  section, .card { break-inside: avoid; }
  section.long { break-inside: auto; }
  .controls, .script .controls, .script #copy, .tab, #tip { display: none; }
  .scroll { max-height: none; overflow: visible; }
  .wide { display: block; }
  .narrow { display: none; }
}
)css";
}

std::string_view page_glossary() {
  return R"html(<dl class="glossary">
<div><dt>Training step</dt><dd>One pass over one batch: forward, loss, backward, update. The plan is followed once per step.</dd></div>
<div><dt>Operation, tensor</dt><dd>An operation (a convolution, say) reads tensors and makes tensors. A tensor is a block of bytes.</dd></div>
<div><dt>Recompute</dt><dd>Drop a tensor from RAM and run its operation again when it is needed. It costs energy and time, not storage.</dd></div>
<div><dt>Page out, page in</dt><dd>Write a tensor to storage (flash, an SD card) and read it back later.</dd></div>
<div><dt>Stage</dt><dd>Stage t ends with the first run of operation t; what is recomputed or moved before that belongs to it.</dd></div>
<div><dt>RAM budget</dt><dd>The most RAM that tensors and work space may take at any moment.</dd></div>
<div><dt>Plain peak</dt><dd>What training would need if nothing were recomputed or paged.</dd></div>
<div><dt>Largest working set</dt><dd>What the most demanding single operation needs: its inputs, outputs and work space. No plan can do with less.</dd></div>
<div><dt>Unavoidable, overhead</dt><dd>Running everything once, and reading and writing what lives in storage, is unavoidable. All beyond that is overhead, and the plan makes it as small as it can.</dd></div>
<div><dt>Bound, gap</dt><dd>No schedule does better than the bound: by a proof, or by the word of the solver that this page names. The gap is how far this schedule is above it.</dd></div>
<div><dt>Proved best</dt><dd>The gap is within the tolerance. The proof speaks of all schedules for this order of operations in which what one stage recomputes runs in that order, each operation at most once in the stage.</dd></div>
<div><dt>Stall</dt><dd>Time in which the processor waits for storage.</dd></div>
</dl>
)html";
}

}  // namespace poet
