import { expect, test } from "vitest";
import { nothingYet, stateOf, stepTime, thinned, withEvent } from "./progress";

type Told = [string, Record<string, unknown>];

const told = (events: Told[]) =>
  events.reduce((training, [event, data]) => withEvent(training, event, data), {
    ...withEvent(nothingYet, "restart", {}),
  });

const begun: Told[] = [
  ["begin", { model: "lenet5" }],
  ["plan", { first_step: 1, steps: 9, predicted_step_s: 0.5 }],
  ["step", { step: 1, steps: 9, loss: 2, step_s: 0.4 }],
  ["step", { step: 2, steps: 9, loss: 1, step_s: 0.6 }],
];

test("a training that nobody runs any more and that said no end has died", () => {
  expect(stateOf(told([]))).toBe("planning");
  expect(stateOf(told(begun))).toBe("training");
  expect(stateOf(told([...begun, ["running", { running: false }]]))).toBe("died");
  expect(stateOf(told([...begun, ["end", { state: "stopped" }], ["running", { running: false }]]))).toBe("stopped");
  expect(stateOf(told([...begun, ["end", { state: "<b>" }]]))).toBe("failed");
});

test("one that goes on from an earlier step takes those after it again", () => {
  const training = told([
    ...begun,
    ["evaluation", { step: 2, loss: 1 }],
    ["begin", { model: "lenet5" }],
    ["plan", { first_step: 2, steps: 9 }],
    ["step", { step: 2, loss: 1.5 }],
  ]);
  expect(training.points.map((point) => point.loss)).toEqual([2, 1.5]);
  expect(training.evaluations).toEqual([]);
  expect(training.news.at(-1)?.what).toBe("goes on from step 2");
});

test("another plan leaves what was taken", () => {
  const training = told([
    ...begun,
    ["replanned", { step: 2, replanning: "changes", why: "faster" }],
    ["plan", { first_step: 3, predicted_step_s: 0.2 }],
    ["step", { step: 3, loss: 1 }],
  ]);
  expect(training.points.map((point) => point.predictedS)).toEqual([0.5, 0.5, 0.2]);
  expect(training.news.map((one) => one.what)).toEqual(["begins to train", "changes over to another plan"]);
});

test("what is saved is told", () => {
  const training = told([...begun, ["saved", { step: 2 }], ["saved", { step: 1, best: true }]]);
  expect([training.savedStep, training.bestStep]).toEqual([2, 1]);
});

test("what nobody knows changes nothing", () => {
  const training = told(begun);
  expect(withEvent(training, "script", { x: 1 })).toBe(training);
  expect(told([["step", { step: null, loss: null }]]).points).toEqual([]);
  expect(told([["step", { step: 1, loss: -1e308, step_s: 1e300 }]]).points).toEqual([
    { step: 1, loss: null, stepS: null, predictedS: null },
  ]);
});

test("the time of a step is that of the last ones", () => {
  expect(stepTime(told(begun))).toBe(0.6);
  expect(stepTime(told([]))).toBe(null);
});

test("many points become few, with their mean", () => {
  const points = [1, 2, 3, 4, 5].map((step) => ({ step, value: step }));
  expect(thinned(points, 5)).toBe(points);
  expect(thinned(points, 3)).toEqual([
    { step: 2, value: 1.5 },
    { step: 4, value: 3.5 },
    { step: 5, value: 5 },
  ]);
});
