import { expect, test } from "vitest";
import { askedText } from "./asked_text";

test("plans of one network differ by what was asked", () => {
  const usual = { graph: "real", optimiser: "sgd", train: "all", loss: "cross-entropy", updates: "auto" };
  expect(askedText({ ...usual, ram_budget: 262144, batch_size: 1 })).toEqual([
    "budget 256 KiB",
    "no deadline",
    "batch of 1",
    "sgd",
  ]);
  const other = { train: "last:2", loss: "none", updates: "sliced", runtime_budget: "1.5x", paging: false };
  expect(askedText({ ...usual, ...other, ram_budget: "30%way" })).toEqual([
    "budget 30%way",
    "deadline 1.5 times computing once",
    "batch of 1",
    "sgd",
    "trains last:2",
    "loss none",
    "sliced updates",
    "no paging",
  ]);
  expect(askedText({ graph: "released", budgets: ["1000", "2000"] })[0]).toBe("2 budgets");
  expect(askedText({ graph: "released", points: 12 })[0]).toBe("12 budgets");
  expect(askedText({ graph: "released", optimiser: "adam", runtime_budget: "0.2s" })).toEqual([
    "budget: the device's RAM",
    "deadline 200 ms",
    "batch of 1",
    "released graph",
  ]);
});
