import { expect, test } from "vitest";
import {
  agoFigure,
  counted,
  countFigure,
  energyFigure,
  percentFigure,
  shortNumber,
  sizeFigure,
  sizeTickFigure,
  tickFigure,
  timeFigure,
} from "./figures";

// The cases of poet/report/figure_text_test.cc: the page prints what the program prints.
test("sizes use binary units", () => {
  expect([0, 1023, 1024, 737719, 2453760, 127759104, 1024 * 1024 - 1].map(sizeFigure)).toEqual([
    "0 B",
    "1023 B",
    "1 KiB",
    "720.4 KiB",
    "2.34 MiB",
    "121.8 MiB",
    "1 MiB",
  ]);
});

test("energies have four significant digits", () => {
  expect([0, 0.5508501, 0.99999, 36808.31, 1.25e-6].map(energyFigure)).toEqual([
    "0 J",
    "550.9 mJ",
    "1 J",
    "36.81 kJ",
    "1.25 µJ",
  ]);
});

test("times change to minutes and hours", () => {
  expect([0.01234, 99.94, 200, 3599, 3600, 7260].map(timeFigure)).toEqual([
    "12.34 ms",
    "99.94 s",
    "3 min 20 s",
    "59 min 59 s",
    "1 h 0 min",
    "2 h 1 min",
  ]);
});

test("percents never round to nothing, nor to all", () => {
  expect([0, 0.00001, 0.0083, 0.195, 2.4, Number.POSITIVE_INFINITY].map(percentFigure)).toEqual([
    "0 %",
    "under 0.01 %",
    "0.83 %",
    "19.5 %",
    "240 %",
    "unknown",
  ]);
  expect([1, 737536 / 737719, 0.9999999, 0.9994].map(percentFigure)).toEqual([
    "100 %",
    "99.98 %",
    "over 99.99 %",
    "99.9 %",
  ]);
});

test("counts are grouped, and know one from many", () => {
  expect([0, 999, 2465832].map(countFigure)).toEqual(["0", "999", "2,465,832"]);
  expect([counted(1, "operation"), counted(0, "operation")]).toEqual(["1 operation", "0 operations"]);
});

test("numbers have no trailing zeros and no minus zero", () => {
  expect([shortNumber(1.5, 2), shortNumber(100, 2), shortNumber(-0.001, 2)]).toEqual(["1.5", "100", "0"]);
});

test("what was long ago has its day", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  expect(agoFigure("2026-11-22T11:59:30Z", now)).toBe("just now");
  expect(agoFigure("2026-11-22T11:00:00Z", now)).toBe("1 hour ago");
  expect(agoFigure("2026-11-01T11:00:00Z", now)).toBe("2026-11-01");
});

test("ticks can be told apart", () => {
  const wide = [0.5, 0.6];
  expect(wide.map(tickFigure(wide, "J"))).toEqual(["500 mJ", "600 mJ"]);
  const narrow = [42.2512, 42.2513, 42.2514];
  expect(narrow.map(tickFigure(narrow, "J"))).toEqual(["42.2512 J", "42.2513 J", "42.2514 J"]);
});

test("sizes that lie close together are told in bytes", () => {
  expect([262144, 327680].map(sizeTickFigure([262144, 327680]))).toEqual(["256 KiB", "320 KiB"]);
  expect([384032, 384040].map(sizeTickFigure([384032, 384040]))).toEqual(["384,032 B", "384,040 B"]);
});
