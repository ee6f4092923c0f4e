import { expect, test } from "vitest";
import { pageWords } from "./page_words";

test("options are told as the page calls them", () => {
  expect(pageWords("the limit ended it; a larger --time-limit-s goes further")).toBe(
    "the limit ended it; a larger time limit goes further",
  );
  expect(pageWords("a larger time_limit_s goes further")).toBe("a larger time limit goes further");
  expect(pageWords("--dimensions is for ONNX files")).toBe("“Open extents” is for ONNX files");
  expect(pageWords("--weights-missing is about published weights")).toBe("weights missing is about published weights");
});

test("names and dashes are left alone", () => {
  for (const text of ["a--b is no network", "one -- or two", "Conv_--", "a - b"]) expect(pageWords(text)).toBe(text);
});
