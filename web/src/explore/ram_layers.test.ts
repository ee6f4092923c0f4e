import { expect, test } from "vitest";
import { layersByTensor, layersByUse, shownActions } from "./ram_layers";
import { sampleStep } from "./sample_step";

test("layers by use add up to the RAM in use", () => {
  const step = sampleStep();
  const layers = layersByUse(step);
  expect(layers.map((layer) => layer.look)).toEqual(["activations", "gradients", "workspace"]);
  step.actions.forEach((action, at) => {
    expect(layers.reduce((sum, layer) => sum + (layer.bytes[at] ?? 0), 0)).toBe(action.ram);
  });
});

test("layers by tensor add up as well, and name the largest of the worst moment", () => {
  const step = sampleStep();
  const layers = layersByTensor(step, 2);
  expect(layers.map((layer) => layer.name)).toEqual(["everything else", "t2", "t0"]);
  expect(layers[2]?.bytes).toEqual([100, 100, 100, 100, 100, 100]);
  step.actions.forEach((action, at) => {
    expect(layers.reduce((sum, layer) => sum + (layer.bytes[at] ?? 0), 0)).toBe(action.ram);
  });
});

test("of actions that share a pixel the worst is shown", () => {
  const step = sampleStep();
  expect(shownActions(step, 100).map((one) => one.worst)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(shownActions(step, 2)).toEqual([
    { first: 0, worst: 2 },
    { first: 3, worst: 5 },
  ]);
});
