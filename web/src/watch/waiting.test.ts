import { expect, test } from "vitest";
import { waitingText } from "./waiting";

test("why a job waits is said in the service's words", () => {
  expect(waitingText({ ahead: 0, waits_for: "your share of 2 jobs runs" })).toBe("Your share of 2 jobs runs.");
});

test("without them, its place in the queue says it", () => {
  expect(waitingText({ ahead: null })).toBe("The service has not begun with it yet.");
  expect(waitingText({ ahead: 0 })).toMatch(/It is the next\.$/);
  expect(waitingText({ ahead: 1 })).toMatch(/and 1 other waits before it\.$/);
  expect(waitingText({ ahead: 3 })).toMatch(/and 3 others wait before it\.$/);
});
