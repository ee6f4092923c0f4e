import { expect, test } from "vitest";
import { sizeTicks } from "./axes";

test("an axis has ticks, also where it begins far from nothing", () => {
  expect(sizeTicks(0, 1000, 4)).toEqual([0, 256, 512, 768]);
  expect(sizeTicks(384_032, 386_112, 5)).toEqual([384_512, 385_024, 385_536, 386_048]);
  expect(sizeTicks(219_712, 386_112, 4)).toEqual([262_144, 327_680]);
});
