import { expect, test } from "vitest";
import { askedOf, routeOf } from "./route";

test("a plan has an address of its own", () => {
  const id = "0123456789abcdef".repeat(4);
  expect(routeOf(`#/plans/${id}`)).toEqual({ place: "plan", id });
  expect(routeOf("")).toEqual({ place: "ask" });
  expect(routeOf("#/")).toEqual({ place: "ask" });
  expect(routeOf("#/?model=mlp")).toEqual({ place: "ask" });
  expect(routeOf("#/plans")).toEqual({ place: "plans" });
});

test("a training has an address of its own", () => {
  const id = "0123456789abcdef".repeat(4);
  expect(routeOf(`#/trainings/${id}`)).toEqual({ place: "training", id });
  expect(routeOf("#/trainings")).toEqual({ place: "trainings" });
  expect(routeOf("#/trainings/x")).toEqual({ place: "nowhere" });
});

test("what is no place is said to be none", () => {
  expect(routeOf("#/plans/../../etc")).toEqual({ place: "nowhere" });
  expect(routeOf("#/plan")).toEqual({ place: "nowhere" });
});

test("a link can hand fields over", () => {
  expect(askedOf("#/?model=mlp&ram_budget=30%25way")).toEqual({ model: "mlp", ram_budget: "30%way" });
  expect(askedOf("#/")).toEqual({});
});
