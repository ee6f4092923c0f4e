import { expect, test } from "vitest";
import { readTrace, rowsOf, sliceAt, sumsOf } from "./read_trace";

const named = (pid: number, name: string, tid: number, track: string) => [
  { name: "process_name", ph: "M", pid, args: { name } },
  { name: "process_sort_index", ph: "M", pid, args: { sort_index: pid } },
  { name: "thread_name", ph: "M", pid, tid, args: { name: track } },
];
const slice = (pid: number, tid: number, name: string, cat: string, ts: number, dur: number, args = {}) => ({
  name,
  ph: "X",
  pid,
  tid,
  cat,
  ts,
  dur,
  args,
});

const events = [
  ...named(1, "measured", 2, "processor"),
  ...named(1, "measured", 3, "storage"),
  ...named(2, "predicted", 2, "processor"),
  slice(1, 2, "conv", "compute", 5, 2),
  slice(1, 3, "w", "read", 1, 3, { bytes: 100 }),
  slice(2, 2, "conv", "compute", 1, 1),
  { name: "RAM in use", ph: "C", pid: 1, ts: 4, args: { bytes: 30 } },
  { name: "RAM in use", ph: "C", pid: 1, ts: 1, args: { bytes: 20 } },
  { name: "RAM budget", ph: "C", pid: 1, ts: 1, args: { bytes: 40 } },
  { name: "waits", ph: "s", id: 7, pid: 1, tid: 3, ts: 1 },
  { name: "waits", ph: "f", bp: "e", id: 7, pid: 1, tid: 2, ts: 5 },
];
const trace = () => readTrace(JSON.stringify({ traceEvents: events, otherData: { title: "poet train" } }));

test("tracks stand in their groups, and what waits knows for what", () => {
  const read = trace();
  expect([read.title, read.begin, read.end, read.budgetBytes]).toEqual(["poet train", 1, 7, 40]);
  expect(read.groups.map((group) => group.name)).toEqual(["measured", "predicted"]);
  expect(read.groups[0]?.ram.map((level) => level.bytes)).toEqual([20, 30]);
  const conv = read.groups[0]?.tracks[0]?.slices[0];
  expect(conv?.before.map((one) => one.name)).toEqual(["w"]);
  expect(conv?.before[0]?.after).toEqual([conv]);
});

test("what is predicted stands above what was measured", () => {
  expect(rowsOf(trace()).map((row) => `${row.track} ${row.group}`)).toEqual([
    "processor predicted",
    "processor measured",
    "storage measured",
  ]);
});

test("kinds of work are added up", () => {
  expect(sumsOf(trace())).toEqual([
    { kind: "compute", group: "measured", count: 1, us: 2, bytes: 0 },
    { kind: "read", group: "measured", count: 1, us: 3, bytes: 100 },
    { kind: "compute", group: "predicted", count: 1, us: 1, bytes: 0 },
  ]);
});

test("a moment lies in the last slice that began", () => {
  const slices = [1, 3, 5].map((begin) => ({
    begin,
    end: begin + 1,
    name: "",
    kind: "",
    details: {},
    before: [],
    after: [],
  }));
  expect([0, 1, 2, 4.5, 9].map((at) => sliceAt(slices, at))).toEqual([-1, 0, 0, 1, 2]);
  expect(sliceAt([], 1)).toBe(-1);
});

test("what is no trace is said to be none", () => {
  for (const text of ["", "{", "3", "{}", '{"traceEvents": 3}', "[]", '[null, 3, {"ph": "X", "ts": "now"}]'])
    expect(() => readTrace(text)).toThrow("This is no trace");
});
