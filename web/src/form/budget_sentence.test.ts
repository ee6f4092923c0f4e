import { expect, test } from "vitest";
import type { Device, ModelSize } from "../service/types";
import { deviceSentence, wayText } from "./budget_sentence";
import { blank } from "./question";

const size = {
  graph: "real",
  working_set_bytes: 300 * 1024,
  least_bytes: 200 * 1024,
  least_operation: "update conv1",
  plain_peak_bytes: 700 * 1024,
} as ModelSize;
const board = { name: "m4", ram_bytes: 256 * 1024, project_ram_bytes: 247 * 1024 } as Device;
const whole = { ...blank, parts: "whole" };
const said = (budget: number, changes: Partial<ModelSize> = {}, updates = "") =>
  deviceSentence({ ...whole, updates }, budget, { ...size, ...changes }, board);

test("a budget that the board holds needs no word", () => {
  expect(said(247 * 1024)).toBeNull();
});

test("the stack of a program counts", () => {
  expect(said(256 * 1024)).toEqual({
    warns: true,
    text: "That is more than the board can give: m4 has 256 KiB, of which stack and other data of a program leave 247 KiB.",
  });
  expect(said(256 * 1024, { graph: "released" })).toBeNull();
});

test("that nothing fits says which updates it speaks of", () => {
  const text = (updates: string) => said(300 * 1024, { least_bytes: 250 * 1024 }, updates)?.text ?? "";
  expect(text("")).toMatch(
    /^No schedule fits into m4, with whichever updates: update conv1 alone needs 250 KiB, and m4 /,
  );
  expect(text("sliced")).toMatch(/^No schedule fits into m4 with updates by slices: /);
  expect(text("separate")).toMatch(/^No schedule fits into m4 with updates of whole gradients: .* may need less\.$/);
});

test("a service that does not know the least of all updates is not said to", () => {
  const { least_bytes: _, least_operation: __, ...older } = { ...size, working_set_operation: "dense1" };
  const { text } = deviceSentence(whole, 300 * 1024, older as ModelSize, board) ?? { text: "" };
  expect(text).toMatch(
    /^No schedule fits into m4 with updates of whole gradients: dense1 alone needs 300 KiB, .* may need less\.$/,
  );
});

test("where operations may be cut, what one of them needs as a whole is no end", () => {
  const cut = (budget: number, parts = "") =>
    deviceSentence({ ...blank, parts }, budget, { ...size, least_bytes: 250 * 1024 }, board);
  expect(cut(247 * 1024)).toEqual({
    warns: false,
    text: "As a whole, update conv1 alone needs 250 KiB, and m4 has 256 KiB, of which stack and other data of a program leave 247 KiB. So operations will come in parts.",
  });
  expect(cut(248 * 1024)?.text).toMatch(/^That is more than the board can give: /);
  expect(cut(247 * 1024, "64KiB")?.warns).toBe(false);
  expect(cut(247 * 1024, "whole")?.text).toMatch(/^No schedule fits into m4/);
  expect(deviceSentence(blank, 1, { ...size, graph: "released", least_bytes: 300 * 1024 }, board)?.text).toMatch(
    /^No schedule fits into m4: /,
  );
});

test("where there is nothing to save, no smaller budget is advised", () => {
  const roomy = { ...board, ram_bytes: 1024 * 1024, project_ram_bytes: 1000 * 1024 };
  const text = (least_bytes: number, parts: string) =>
    deviceSentence({ ...blank, parts }, 1, { ...size, least_bytes }, roomy)?.text ?? "";
  expect(text(200 * 1024, "whole")).toMatch(/could be kept\. A smaller budget shows what saving RAM costs\.$/);
  expect(text(700 * 1024, "whole")).toMatch(/could be kept\. No schedule needs less than that\.$/);
  expect(text(700 * 1024, "")).toMatch(/could be kept\. With less, operations come in parts\.$/);
});

test("a budget below the working set is no negative way", () => {
  expect(wayText(blank, 400 * 1024, size)).toBe("25 % of the way to keeping everything");
  expect(wayText(blank, 250 * 1024, size)).toBe(
    "only with updates by slices or operations in parts: with whole gradients whole operations need 307,200",
  );
  expect(wayText(whole, 250 * 1024, size)).toBe(
    "only with updates by slices: with whole gradients operations need 307,200",
  );
  expect(wayText(blank, 701 * 1024, size)).toBe("more than keeping everything needs");
  expect(wayText(blank, 100 * 1024, size)).toBe("only with operations in parts, if at all");
  expect(wayText(whole, 100 * 1024, size)).toBe("less than any schedule needs");
});
