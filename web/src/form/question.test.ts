import { expect, test } from "vitest";
import type { Model, ModelSize } from "../service/types";
import { askAgain, blank, bytesOfText, questionOf, requestOf, sizeQuery, startingBudget, wayOf } from "./question";

const model: Model = { id: "resnet8", name: "resnet8", kind: "zoo", graphs: ["real", "released"], what: "" };
const size = { working_set_bytes: 1000, plain_peak_bytes: 3000, device_ram_bytes: 2000 } as ModelSize;

test("the slider begins at the device's RAM where that is a choice", () => {
  expect(startingBudget(size)).toBe(2000);
  expect(startingBudget({ ...size, device_ram_bytes: 500 })).toBe(1800);
  expect(startingBudget({ ...size, device_ram_bytes: 9000 })).toBe(1800);
});

test("budgets are read as on the command line", () => {
  const read = (text: string) => bytesOfText(text, size);
  expect([read("1500"), read("1,500"), read("2KiB"), read("1.5 kib"), read("3 MB")]).toEqual([
    1500, 1500, 2048, 1536, 3000000,
  ]);
  expect([read("50%"), read("50%way"), read("much"), read("-5"), read("1 kilo"), read("")]).toEqual([
    1500,
    2000,
    null,
    null,
    null,
    null,
  ]);
});

test("a network without a choice is all of the way", () => {
  expect(wayOf(1000, { ...size, plain_peak_bytes: 1000 })).toBe(1);
  expect(wayOf(1500, size)).toBe(0.25);
});

test("a request says only what was chosen", () => {
  const question = { ...blank, model: "resnet8" };
  expect(requestOf(question, model, size)).toEqual({
    model: "resnet8",
    platform: "m4",
    graph: "real",
    batch_size: 1,
    ram_budget: 2000,
    paging: true,
    remat: true,
    time_limit_s: 60,
  });
  const more = requestOf({ ...question, deadlineRatio: 1.5, optimiser: "adam", budgetBytes: 1200 }, model, size);
  expect(more).toMatchObject({ runtime_budget: 1.5, optimiser: "adam", ram_budget: 1200 });
});

test("released graphs have no optimiser", () => {
  const question = { ...blank, graph: "released", optimiser: "adam" };
  expect(requestOf(question, model, size)).not.toHaveProperty("optimiser");
  expect(sizeQuery(question, model)).toBe("platform=m4&graph=released&batch_size=1");
});

test("a link brings the question back", () => {
  const request = { model: "resnet8", platform: "m0", ram_budget: 1200, remat: false, runtime_budget: 1.5 };
  const link = askAgain(request, { ram_budget: 1300, runtime_budget: null });
  expect(link).toBe("#/?model=resnet8&platform=m0&ram_budget=1300&remat=false");
  const query = Object.fromEntries(new URLSearchParams(link.split("?")[1]));
  expect(questionOf(query)).toEqual({ ...blank, model: "resnet8", platform: "m0", budgetBytes: 1300, remat: false });
});

test("a deadline comes back as the service writes it", () => {
  expect(questionOf({ runtime_budget: "1.5x" }).deadlineRatio).toBe(1.5);
  expect(questionOf({ runtime_budget: "200ms" }).deadlineRatio).toBeNull();
});
