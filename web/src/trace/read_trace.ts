// A trace as `poet train --trace` and `poet solve --trace` write it (docs/formats/trace.md): the events of the Trace Event
// Format, in groups of tracks. Times are in microseconds.

export type Slice = {
  begin: number;
  end: number;
  name: string;
  kind: string; // "compute", "recompute", "read", "write", "wait", "step"
  details: Record<string, unknown>;
  before: Slice[]; // what it waits for
  after: Slice[]; // what waits for it
};
export type Track = { name: string; slices: Slice[] };
export type Level = { at: number; bytes: number };
export type Group = { name: string; tracks: Track[]; ram: Level[] };
export type Trace = { title: string; groups: Group[]; begin: number; end: number; budgetBytes: number | null };

type Event = Record<string, unknown>;
type Found = { name: string; order: number; tracks: Map<number, FoundTrack>; ram: Level[] };
type FoundTrack = { name: string; order: number; slices: Slice[] };

const number = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const members = (value: unknown): Event => (typeof value === "object" && value !== null ? (value as Event) : {});

class Reader {
  groups = new Map<number, Found>();
  budgetBytes: number | null = null;
  private ends = new Map<string, Slice>(); // by where and when a slice begins
  private arrows = new Map<number, Event>(); // begun

  take(event: Event): void {
    if (event.ph === "M") this.name(event);
    if (event.ph === "X") this.slice(event);
    if (event.ph === "C") this.counter(event);
  }

  // Once all slices are known.
  link(event: Event): void {
    const id = number(event.id);
    if (id === null) return;
    if (event.ph === "s") this.arrows.set(id, event);
    const begun = event.ph === "f" ? this.arrows.get(id) : undefined;
    const from = begun && this.ends.get(placeOf(begun));
    const to = this.ends.get(placeOf(event));
    if (!from || !to) return;
    from.after.push(to);
    to.before.push(from);
  }

  private group(event: Event): Found {
    const pid = number(event.pid) ?? 0;
    let group = this.groups.get(pid);
    if (!group) {
      group = { name: String(pid), order: pid, tracks: new Map(), ram: [] };
      this.groups.set(pid, group);
    }
    return group;
  }

  private track(event: Event): FoundTrack {
    const { tracks } = this.group(event);
    const tid = number(event.tid) ?? 0;
    let track = tracks.get(tid);
    if (!track) {
      track = { name: String(tid), order: tid, slices: [] };
      tracks.set(tid, track);
    }
    return track;
  }

  private name(event: Event): void {
    const args = members(event.args);
    if (event.name === "process_name") this.group(event).name = text(args.name);
    if (event.name === "process_sort_index") this.group(event).order = number(args.sort_index) ?? 0;
    if (event.name === "thread_name") this.track(event).name = text(args.name);
    if (event.name === "thread_sort_index") this.track(event).order = number(args.sort_index) ?? 0;
  }

  private slice(event: Event): void {
    const begin = number(event.ts);
    const taken = number(event.dur);
    if (begin === null || taken === null || taken < 0) return;
    const slice: Slice = {
      begin,
      end: begin + taken,
      name: text(event.name),
      kind: text(event.cat),
      details: members(event.args),
      before: [],
      after: [],
    };
    this.track(event).slices.push(slice);
    // One that took no time has none to wait for it.
    if (taken > 0) this.ends.set(placeOf(event), slice);
  }

  private counter(event: Event): void {
    const at = number(event.ts);
    const bytes = number(members(event.args).bytes);
    if (at === null || bytes === null) return;
    if (event.name === "RAM in use") this.group(event).ram.push({ at, bytes });
    if (event.name === "RAM budget") this.budgetBytes = bytes;
  }
}

function placeOf(event: Event): string {
  return `${event.pid} ${event.tid} ${event.ts}`;
}

const byOrder = (a: { order: number }, b: { order: number }) => a.order - b.order;

function groupOf(found: Found): Group {
  const tracks = [...found.tracks.values()].sort(byOrder).filter((track) => track.slices.length > 0);
  for (const track of tracks) track.slices.sort((a, b) => a.begin - b.begin);
  found.ram.sort((a, b) => a.at - b.at);
  return { name: found.name, tracks: tracks.map(({ name, slices }) => ({ name, slices })), ram: found.ram };
}

// Throws a sentence where the text is no trace.
export function readTrace(json: string): Trace {
  let file: unknown;
  try {
    file = JSON.parse(json);
  } catch {
    throw new Error("This is no trace: it is not JSON.");
  }
  const events = Array.isArray(file) ? file : members(file).traceEvents;
  if (!Array.isArray(events)) throw new Error("This is no trace: it has no traceEvents.");
  const reader = new Reader();
  for (const event of events) reader.take(members(event));
  for (const event of events) reader.link(members(event));
  const groups = [...reader.groups.values()]
    .sort(byOrder)
    .map(groupOf)
    .filter((group) => group.tracks.length > 0);
  if (groups.length === 0) throw new Error("This is no trace that can be shown: it has no complete events.");
  let begin = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  for (const group of groups)
    for (const track of group.tracks)
      for (const slice of track.slices) {
        begin = Math.min(begin, slice.begin);
        end = Math.max(end, slice.end);
      }
  const title = text(members(members(file).otherData).title);
  return { title, groups, begin, end: Math.max(end, begin + 1e-3), budgetBytes: reader.budgetBytes };
}

// The rows of the picture: of each track what is predicted above what was measured.
export type Row = { track: string; group: string; slices: Slice[] };

export function rowsOf(trace: Trace): Row[] {
  const names: string[] = [];
  for (const group of trace.groups)
    for (const track of group.tracks) if (!names.includes(track.name)) names.push(track.name);
  const groups = [...trace.groups].reverse();
  return names.flatMap((name) =>
    groups.flatMap((group) =>
      group.tracks
        .filter((track) => track.name === name)
        .map((track) => ({ track: name, group: group.name, slices: track.slices })),
    ),
  );
}

// The last slice that begins at or before a moment; -1: none.
export function sliceAt(slices: Slice[], at: number): number {
  let low = -1;
  let high = slices.length - 1;
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if ((slices[middle]?.begin ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

export type Sum = { kind: string; group: string; count: number; us: number; bytes: number };

// What each kind of work came to.
export function sumsOf(trace: Trace): Sum[] {
  const sums = new Map<string, Sum>();
  for (const group of trace.groups)
    for (const track of group.tracks)
      for (const slice of track.slices) {
        if (slice.kind === "step" || slice.kind === "") continue;
        const key = `${slice.kind} ${group.name}`;
        const sum = sums.get(key) ?? { kind: slice.kind, group: group.name, count: 0, us: 0, bytes: 0 };
        sum.count += 1;
        sum.us += slice.end - slice.begin;
        sum.bytes += number(slice.details.bytes) ?? 0;
        sums.set(key, sum);
      }
  return [...sums.values()];
}
