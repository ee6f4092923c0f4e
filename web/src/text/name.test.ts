import { expect, test } from "vitest";
import { piecesOf } from "./name";

test("a line may end between the parts of a name, and not inside them", () => {
  expect(piecesOf("resnet18_cifar")).toEqual(["resnet18_", "cifar"]);
  expect(piecesOf("layer1.0/conv::weight")).toEqual(["layer1.", "0/", "conv::", "weight"]);
  expect(piecesOf("no such model, and why")).toEqual(["no such model, and why"]);
});
