import { expect, test } from "vitest";
import type { Report } from "../service/types";
import { nothingYet, shownValues, withProgress, withReport } from "./closing";

const at = (elapsed_s: number, incumbent: number | null, bound: number | null) => ({ elapsed_s, incumbent, bound });

test("the best so far only falls, and what is proved only rises", () => {
  let closing = nothingYet;
  for (const progress of [at(1, null, 2), at(2, 9, 3), at(3, 10, 1), at(4, 8, 5)])
    closing = withProgress(closing, progress);
  expect(closing.incumbents).toEqual([
    { at: 2, value: 9 },
    { at: 4, value: 8 },
  ]);
  expect(closing.bounds.map((point) => point.value)).toEqual([2, 3, 5]);
  expect(closing.elapsedS).toBe(4);
});

test("what is not known does not change what was", () => {
  const closing = withProgress({ ...nothingYet, gap: 0.5, phase: "windows" }, at(1, null, null));
  expect(closing.gap).toBe(0.5);
  expect(closing.phase).toBe("windows");
});

test("time does not go back", () => {
  const told = [at(1.3, null, 2), at(1.9, 9, 3)].reduce(withProgress, nothingYet);
  const report = { objective: "energy", solve_s: 0.6, energy_j: 8, lower_bound_j: 6, overhead_gap: 0 } as Report;
  const closing = withReport(told, report);
  expect(closing.incumbents.map((point) => point.at)).toEqual([1.9, 1.9]);
  expect(closing.bounds.map((point) => point.at)).toEqual([1.3, 1.9, 1.9]);
  expect(closing.elapsedS).toBe(1.9);
  expect(withProgress(closing, at(0.2, 7, null)).incumbents.at(-1)).toEqual({ at: 1.9, value: 7 });
});

test("that something was found is no phase", () => {
  const searching = withProgress(nothingYet, { ...at(1, null, null), phase: "windows" });
  expect(withProgress(searching, { ...at(2, 9, null), phase: "incumbent" }).phase).toBe("windows");
});

test("nothing is shown before anything is known", () => {
  expect(shownValues(nothingYet)).toBeNull();
});

test("a first bound far below does not flatten the chart", () => {
  let closing = nothingYet;
  for (const progress of [at(0, null, 0), at(1, 110, 0), at(2, 105, 100)]) closing = withProgress(closing, progress);
  const shown = shownValues(closing);
  expect(shown?.[0]).toBeGreaterThan(75);
  expect(shown?.[1]).toBeGreaterThan(110);
});

test("the curves end with the answer", () => {
  const report = { objective: "energy", solve_s: 3, energy_j: 7, lower_bound_j: 6, overhead_gap: 0.5 } as Report;
  const closing = withReport(withProgress(nothingYet, at(1, 9, null)), report);
  expect(closing.incumbents.at(-1)).toEqual({ at: 3, value: 7 });
  expect(closing.bounds).toEqual([{ at: 3, value: 6 }]);
  expect(closing.elapsedS).toBe(3);
});
