import { expect, test } from "vitest";
import type { Device, Model, ModelSize } from "../service/types";
import {
  alongOf,
  askAgain,
  blank,
  boardBytes,
  bytesAlong,
  bytesOfText,
  partOf,
  questionOf,
  rangeOf,
  ratioFor,
  requestOf,
  sizeQuery,
  spaceText,
  startingBudget,
  trainOf,
  wayOf,
} from "./question";

const model: Model = { id: "resnet8", name: "resnet8", kind: "zoo", graphs: ["real", "released"], what: "" };
const size = { graph: "real", working_set_bytes: 1000, least_bytes: 600, plain_peak_bytes: 3000 } as ModelSize;
const board = { name: "m4", ram_bytes: 2100, project_ram_bytes: 2000 } as Device;

const whole = { ...blank, parts: "whole" };

test("the slider begins at what the board holds where that is a choice", () => {
  expect(startingBudget(whole, size, board)).toBe(2000);
  expect(startingBudget(whole, size, { ...board, project_ram_bytes: 600 })).toBe(600);
  expect(startingBudget(whole, size, { ...board, project_ram_bytes: 599 })).toBe(1560);
  expect(startingBudget(whole, size, { ...board, project_ram_bytes: 9000 })).toBe(1560);
});

test("a program on the board takes RAM besides its tensors, a picture does not", () => {
  expect(boardBytes("real", board)).toBe(2000);
  expect(boardBytes("released", board)).toBe(2100);
});

test("the slider reaches below what whole gradients need", () => {
  const range = rangeOf(whole, size, board);
  expect([alongOf(600, range), alongOf(3000, range), wayOf(600, size)]).toEqual([0, 1, -0.2]);
  expect(bytesAlong(0.5, range)).toBe(1800);
  expect(alongOf(1000, { least: 600, most: 600 })).toBe(1);
});

test("where operations may be cut, the slider reaches down to a small board, and begins there", () => {
  const small = { ...board, project_ram_bytes: 100 };
  expect(rangeOf(blank, size, small)).toEqual({ least: 100, most: 3000 });
  expect(rangeOf(blank, size, board)).toEqual({ least: 600, most: 3000 });
  expect(rangeOf(whole, size, small)).toEqual({ least: 600, most: 3000 });
  expect(rangeOf(blank, { ...size, graph: "released" }, { ...board, ram_bytes: 100 }).least).toBe(600);
  expect(startingBudget(blank, size, small)).toBe(100);
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

test("a size that no memory has is none", () => {
  for (const text of ["1e30", "99999999999999999999", "9999999999 GB"]) expect(bytesOfText(text, size)).toBeNull();
});

test("a network without a choice is all of the way", () => {
  expect(wayOf(1000, { ...size, plain_peak_bytes: 1000 })).toBe(1);
  expect(wayOf(1500, size)).toBe(0.25);
});

test("a request says only what was chosen", () => {
  const question = { ...blank, model: "resnet8" };
  expect(requestOf(question, model, size, board)).toEqual({
    model: "resnet8",
    platform: "m4",
    graph: "real",
    batch_size: 1,
    ram_budget: 2000,
    paging: true,
    remat: true,
    time_limit_s: 60,
  });
  const chosen = { ...question, deadlineRatio: 1.5, optimiser: "adam", updates: "sliced", train: "last:2" };
  const more = requestOf({ ...chosen, loss: "none", budgetBytes: 1200 }, model, size, board);
  expect(more).toMatchObject({ runtime_budget: 1.5, optimiser: "adam", ram_budget: 1200 });
  expect(more).toMatchObject({ updates: "sliced", train: "last:2", loss: "none" });
  expect(sizeQuery(chosen, model)).toContain("optimiser=adam&train=last%3A2&updates=sliced");
});

test("released graphs are not trained", () => {
  const question = { ...blank, graph: "released", optimiser: "adam", train: "bias", loss: "none", updates: "sliced" };
  const request = requestOf(question, model, size, board);
  for (const field of ["optimiser", "train", "loss", "updates"]) expect(request).not.toHaveProperty(field);
  expect(sizeQuery(question, model)).toBe("platform=m4&graph=released&batch_size=1");
});

test("a link brings the question back", () => {
  const training = { train: "last:2", loss: "none", updates: "sliced" };
  const request = {
    model: "resnet8",
    platform: "m0",
    ...training,
    ram_budget: 1200,
    remat: false,
    runtime_budget: 1.5,
  };
  const link = askAgain(request, { ram_budget: 1300, runtime_budget: null });
  const trained = "train=last%3A2&loss=none&updates=sliced";
  expect(link).toBe(`#/?model=resnet8&platform=m0&${trained}&ram_budget=1300&remat=false`);
  const query = Object.fromEntries(new URLSearchParams(link.split("?")[1]));
  const asked = { ...blank, ...training, model: "resnet8", platform: "m0", budgetBytes: 1300, remat: false };
  expect(questionOf(query)).toEqual(asked);
});

test("a deadline comes back as the service writes it", () => {
  expect(questionOf({ runtime_budget: "1.5x" }).deadlineRatio).toBe(1.5);
  expect(questionOf({ runtime_budget: "200ms" }).deadlineRatio).toBeNull();
});

test("a deadline that works is asked for as the one that did not was", () => {
  expect(ratioFor(0.3, "1.5x", 0.15)).toBe(3);
  expect(ratioFor(0.10004, 1.5, 0.15)).toBe(1.001);
  expect(ratioFor(0.3, "200ms", 0.2)).toBeNull();
  expect(ratioFor(0.3, undefined, null)).toBeNull();
});

test("the trained part is a choice and what it is about", () => {
  for (const train of ["all", "bias", "last:3", "regex:^layer4\\.", "regex:a:b", "except:^embed", "except:regex:a"])
    expect(trainOf(partOf(train))).toBe(train);
  expect(partOf("")).toEqual({ choice: "all", detail: "" });
  expect(partOf("except:^embed")).toEqual({ choice: "except:", detail: "^embed" });
  expect(trainOf({ choice: "last:", detail: "" })).toBe("last:1");
  expect(trainOf({ choice: "regex:", detail: "" })).toBe("regex:.");
  expect(trainOf({ choice: "except:", detail: "" })).toBe("except:^$");
});

test("an answer says which schedules it speaks of", () => {
  expect(spaceText({ remat: true, paging: true, updates: "separate" }, [])).toBe(
    "schedules that may recompute and page, with updates of whole gradients",
  );
  expect(spaceText({ remat: false, paging: true }, ["fc1.weight", "fc2.weight"])).toBe(
    "schedules that may page, with updates by slices of 2 weights",
  );
  expect(spaceText({ remat: false, paging: true }, undefined)).toBe("schedules that may page");
  expect(spaceText({ remat: false, paging: false, graph: "released", updates: "auto" }, [])).toBe(
    "schedules that keep everything",
  );
});
