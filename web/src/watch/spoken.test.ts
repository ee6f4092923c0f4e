import { expect, test } from "vitest";
import { spokenNow } from "./spoken";

test("what was said of a job stands until it is said again", () => {
  const said = { state: "running", text: "After 3 s." };
  expect(spokenNow(said, { state: "running", text: "After 4 s." })).toBe("After 3 s.");
});

test("that it waits is not said of a job that has ended", () => {
  const said = { state: "queued", text: "It waits." };
  expect(spokenNow(said, { state: "done", text: "It has ended." })).toBe("It has ended.");
});
