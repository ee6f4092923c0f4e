import { expect, test } from "vitest";
import { runsOf } from "./curves";

test("a line goes through budgets that have a schedule, and not past one that has none", () => {
  const at = (budget: number, cost: number | null) => ({ budget, cost });
  expect(runsOf([at(1, null), at(2, 5), at(3, 4), at(4, null), at(5, 3), at(6, null)])).toEqual([
    [at(2, 5), at(3, 4)],
    [at(5, 3)],
  ]);
  expect(runsOf([at(1, null)])).toEqual([]);
  expect(runsOf([])).toEqual([]);
});
