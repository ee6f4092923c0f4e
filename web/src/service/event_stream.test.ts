import { expect, test } from "vitest";
import { EventReader } from "./event_stream";

test("an event ends with an empty line, wherever the pieces are cut", () => {
  const text =
    'id: 1\nevent: progress\ndata: {"elapsed_s": 1}\n\n: comment\n\nid: 2\nevent: done\ndata: a\ndata: b\n\n';
  for (let cut = 0; cut <= text.length; ++cut) {
    const reader = new EventReader();
    const events = [...reader.take(text.slice(0, cut)), ...reader.take(text.slice(cut))];
    expect(events).toEqual([
      { event: "progress", id: "1", data: '{"elapsed_s": 1}' },
      { event: "done", id: "2", data: "a\nb" },
    ]);
  }
});

test("carriage returns end lines as well", () => {
  expect(new EventReader().take("event: state\r\ndata: x\r\n\r\n")).toEqual([{ event: "state", id: "", data: "x" }]);
});

test("what has no data is no event", () => {
  expect(new EventReader().take("event: state\n\n")).toEqual([]);
});
