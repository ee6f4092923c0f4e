import { call, ServiceError } from "./call";

export type ServerEvent = { event: string; id: string; data: string };

// Reads server-sent events out of pieces of text as they arrive: an event ends with an empty line. By hand, because
// the browser's EventSource cannot send a token.
export class EventReader {
  private rest = "";
  private event = "";
  private id = "";
  private data: string[] = [];

  take(piece: string): ServerEvent[] {
    const lines = (this.rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    const events: ServerEvent[] = [];
    for (const line of lines) {
      const done = this.line(line);
      if (done) events.push(done);
    }
    return events;
  }

  private line(line: string): ServerEvent | undefined {
    if (line === "") return this.end();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.event = value;
    if (name === "data") this.data.push(value);
    if (name === "id") this.id = value;
    return undefined;
  }

  private end(): ServerEvent | undefined {
    const { event, data, id } = this;
    this.event = "";
    this.data = [];
    return data.length > 0 ? { event: event || "message", id, data: data.join("\n") } : undefined;
  }
}

// Nobody answers, or a proxy for nobody.
function isAway(error: unknown): boolean {
  return error instanceof ServiceError && [0, 502, 504].includes(error.status);
}

// Another try would have the same answer.
function isFinal(error: unknown): boolean {
  return error instanceof ServiceError && [401, 403, 404].includes(error.status);
}

// Follows a job until its stream ends; a broken connection is taken up again after the last event that came, and a
// service that is away is waited for. `away` hears when it goes and when it is back.
export async function follow(
  path: string,
  signal: AbortSignal,
  take: (event: ServerEvent) => void,
  away: (is: boolean) => void,
): Promise<void> {
  let last = "";
  let done = false;
  for (let failures = 0; !done && !signal.aborted; ) {
    try {
      const answer = await call(path, { signal, headers: last ? { "Last-Event-ID": last } : {} });
      failures = 0;
      away(false);
      const stream = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      const reader = new EventReader();
      while (stream) {
        const piece = await stream.read();
        if (piece.done) break;
        for (const event of reader.take(piece.value)) {
          last = event.id || last;
          done ||= event.event === "done";
          take(event);
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      if (isAway(error)) away(true);
      else if (failures > 5 || isFinal(error)) throw error;
    }
    if (!done) await new Promise((next) => setTimeout(next, 1000 * Math.min(Math.max(1, failures), 5)));
  }
}
