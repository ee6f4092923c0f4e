import { afterEach, expect, test, vi } from "vitest";
import { EventReader, follow } from "./event_stream";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

// A service that answers one call after the other: with events, with a status, or not at all.
function answering(...answers: (string | number | null)[]): void {
  vi.useFakeTimers();
  vi.stubGlobal("sessionStorage", { getItem: () => null });
  vi.stubGlobal("fetch", async () => {
    const answer = answers.shift() ?? null;
    if (answer === null) throw new TypeError("refused");
    return typeof answer === "string" ? new Response(answer) : new Response("", { status: answer });
  });
}

// What is said of the service while a job is followed, and what came.
async function followed(seconds: number): Promise<{ away: boolean[]; events: string[]; error: Error | null }> {
  const heard = { away: [] as boolean[], events: [] as string[], error: null as Error | null };
  const aborter = new AbortController();
  follow(
    "/events",
    aborter.signal,
    (event) => heard.events.push(event.data),
    (is) => heard.away.push(is),
  ).catch((error: Error) => {
    heard.error = error;
  });
  await vi.advanceTimersByTimeAsync(seconds * 1000);
  aborter.abort();
  return heard;
}

test("a service that goes away is missed at once, and heard again however late", async () => {
  answering("data: 1\n\n", ...Array(12).fill(null), "event: done\ndata: 2\n\n");
  expect((await followed(1.5)).away).toEqual([false, true]);
  answering("data: 1\n\n", ...Array(12).fill(null), "event: done\ndata: 2\n\n");
  const heard = await followed(120);
  expect(heard).toEqual({ away: [false, ...Array(12).fill(true), false], events: ["1", "2"], error: null });
});

test("a job that is not there any more is not asked for again", async () => {
  answering("data: 1\n\n", null, 404, "data: 2\n\n");
  const heard = await followed(60);
  expect([heard.events, heard.error?.message]).toEqual([["1"], "The service answered 404."]);
});

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
