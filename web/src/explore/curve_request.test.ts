import { expect, test } from "vitest";
import type { ModelSize } from "../service/types";
import { curveBudgets, curveRequest, sizePath } from "./curve_request";

const size = { working_set_bytes: 384_032, least_bytes: 219_712, plain_peak_bytes: 386_112 } as ModelSize;

test("a comparison reaches from the least to keeping everything, with the plan's budget", () => {
  const budgets = curveBudgets(size, 252_928);
  expect([budgets[0], budgets.at(-1), budgets.length]).toEqual([219_712, 386_112, 11]);
  expect(budgets).toContain(252_928);
  expect(budgets).toEqual([...budgets].sort((a, b) => a - b));
});

test("it goes down to a plan of operations in parts, in a few steps", () => {
  expect(curveBudgets(size, 100_000).slice(0, 5)).toEqual([100_000, 139_904, 179_808, 219_712, 238_201]);
});

test("a plan with more than everything needs is not waited for, nor one that there is not", () => {
  expect(curveBudgets(size, 9_000_000)).toEqual(curveBudgets(size, null));
  expect(curveBudgets({ ...size, least_bytes: 386_112 }, null)).toEqual([386_112]);
});

test("it asks the plan's question, without what the service left out", () => {
  const request = { model: "a/b", platform: "m4", ram_budget: 1, adapter: null, updates: "auto", time_limit_s: 60 };
  const asked = curveRequest(request as never, size, null);
  expect(asked).toMatchObject({ model: "a/b", updates: "auto", time_limit_s: 10, budgets: curveBudgets(size, null) });
  expect(Object.keys(asked)).not.toContain("ram_budget");
  expect(Object.keys(asked)).not.toContain("adapter");
  expect(curveRequest(request as never, null, null)).toMatchObject({ points: 10 });
  expect(sizePath(request as never)).toBe("/v1/models/a%2Fb?platform=m4&updates=auto");
});
