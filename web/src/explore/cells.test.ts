import { expect, test } from "vitest";
import { cellAt, cellSize, cellsOf, cellText, tensorOf } from "./cells";
import { sampleStep } from "./sample_step";

const view = { left: 10, top: 20, width: 300, height: 150, k: 1, x: 0, y: 0 };

test("a cell says what is there and why", () => {
  const cells = cellsOf(sampleStep(), "all");
  expect(cellText(cells, { at: 0, stage: 2 })).toEqual({
    title: "t0",
    bytes: 100,
    lines: ["Stage 2, b: in RAM and storage", "read from storage in this stage", "made by f0 in 1 s"],
    why: "t0 (100 bytes) is absent in stages 1 to 2, and read back.\n  While 'f1' runs, RAM is full.",
  });
  expect(cellText(cells, { at: 2, stage: 0 }).lines[0]).toBe("Stage 0, f0: nowhere");
  expect(cellText(cells, { at: 2, stage: 0 }).why).toBeNull();
});

test("tensors that are always there can be left out", () => {
  const cells = cellsOf(sampleStep(), "away");
  expect(cells.columns).toEqual([0, 1]);
  expect(tensorOf(cells, 1)).toBe(1);
  expect(cells.runs.every((run) => run.at < 2)).toBe(true);
});

test("what is computed is drawn before what is done again", () => {
  expect(cellsOf(sampleStep(), "all").marks.map((mark) => mark.kind)).toEqual([0, 0, 0, 1, 2, 3]);
});

test("a point belongs to one cell, zoomed or not", () => {
  const cells = cellsOf(sampleStep(), "all");
  expect(cellSize(cells, view)).toEqual({ across: 100, down: 50 });
  expect(cellAt(cells, view, 10 + 250, 20 + 60)).toEqual({ at: 2, stage: 1 });
  expect(cellAt(cells, view, 5, 60)).toBeNull();
  expect(cellAt(cells, { ...view, k: 2, x: -300, y: -150 }, 10 + 150, 20 + 10)).toEqual({ at: 2, stage: 1 });
});
