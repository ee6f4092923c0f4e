import type { Device, Model, ModelSize, PlanRequest } from "../service/types";
import { counted } from "../text/figures";

// What the form asks, as its fields stand.
export type Question = {
  model: string;
  platform: string;
  graph: string; // empty: the network's default
  batchSize: number;
  dimensions: string;
  optimiser: string; // empty, as for the next four: the program's default
  train: string;
  loss: string;
  updates: string;
  parts: string;
  budgetBytes: number | null; // null: the slider was not touched
  deadlineRatio: number | null; // null: no deadline
  paging: boolean;
  remat: boolean;
  timeLimitS: number;
};

export const blank: Question = {
  model: "",
  platform: "m4",
  graph: "",
  batchSize: 1,
  dimensions: "",
  optimiser: "",
  train: "",
  loss: "",
  updates: "",
  parts: "",
  budgetBytes: null,
  deadlineRatio: null,
  paging: true,
  remat: true,
  timeLimitS: 60,
};

export function graphOf(question: Question, model: Model | undefined): string {
  if (model?.graphs.includes(question.graph)) return question.graph;
  return model?.graphs[0] ?? "real";
}

// How a network is trained: a released graph has nothing of this.
function trainingFields(question: Question, graph: string): [string, string][] {
  if (graph !== "real") return [];
  const { optimiser, train, loss, updates, parts } = question;
  return Object.entries({ optimiser, train, loss, updates, parts }).filter(([, value]) => value !== "");
}

// The fields that decide how large a step is.
export function sizeQuery(question: Question, model: Model): string {
  const graph = graphOf(question, model);
  const query = new URLSearchParams({ platform: question.platform, graph, batch_size: String(question.batchSize) });
  for (const [name, value] of trainingFields(question, graph)) query.set(name, value);
  if (question.dimensions) query.set("dimensions", question.dimensions);
  return query.toString();
}

// What of the device's RAM the tensors of a step may have. A step that can be trained becomes a program on the board,
// whose stack and data take some of it; a released graph is a picture only.
export function boardBytes(graph: string, device: Device): number {
  return graph === "real" ? device.project_ram_bytes : device.ram_bytes;
}

// The least that there can be for operations as a whole, as far as the service knows it.
export function leastOf(size: ModelSize): number {
  return size.least_bytes ?? size.working_set_bytes;
}

// Whether operations may come in parts, so that what one of them needs as a whole is no limit.
export function mayBeCut(question: Question, size: ModelSize): boolean {
  return size.graph === "real" && question.parts !== "whole";
}

export type Range = { least: number; most: number };

// What the slider reaches: from what operations need as a whole, or what the board holds where that is less and they may be
// cut, to the plain peak.
export function rangeOf(question: Question, size: ModelSize, device: Device): Range {
  const whole = leastOf(size);
  const least = mayBeCut(question, size) ? Math.min(whole, boardBytes(size.graph, device)) : whole;
  return { least, most: size.plain_peak_bytes };
}

// Where the slider stands before it was touched: what the board holds where that is a choice, and otherwise 40 % of the way
// along.
export function startingBudget(question: Question, size: ModelSize, device: Device): number {
  const range = rangeOf(question, size, device);
  const board = boardBytes(size.graph, device);
  return board >= range.least && board <= range.most ? board : bytesAlong(0.4, range);
}

export function budgetOf(question: Question, size: ModelSize, device: Device): number {
  return question.budgetBytes ?? startingBudget(question, size, device);
}

// Along the slider, from 0 to 1.
export function alongOf(bytes: number, { least, most }: Range): number {
  return most > least ? (bytes - least) / (most - least) : 1;
}

export function bytesAlong(part: number, { least, most }: Range): number {
  return Math.round(least + part * (most - least));
}

// As '30%way' counts: from the largest working set with whole gradients (0) to the plain peak (1).
export function wayOf(bytes: number, size: ModelSize): number {
  const span = size.plain_peak_bytes - size.working_set_bytes;
  return span > 0 ? (bytes - size.working_set_bytes) / span : 1;
}

export function bytesAtWay(way: number, size: ModelSize): number {
  return Math.round(size.working_set_bytes + way * (size.plain_peak_bytes - size.working_set_bytes));
}

// Reads "737719", "720KiB", "3 MB", "60%" (of the plain peak) or "30%way", as the command line does; null for what is none,
// or more than any memory has.
export function bytesOfText(text: string, size: ModelSize): number | null {
  const read = /^\s*([0-9]+(?:[.,][0-9]+)*)\s*([a-z%]*)\s*$/i.exec(text);
  if (!read) return null;
  const number = Number((read[1] ?? "").replace(/,(?=[0-9]{3})/g, ""));
  const unit = (read[2] ?? "").toLowerCase();
  const factors: Record<string, number> = {
    "": 1,
    b: 1,
    bytes: 1,
    kib: 1024,
    mib: 1024 ** 2,
    gib: 1024 ** 3,
    kb: 1000,
    mb: 1000 ** 2,
    gb: 1000 ** 3,
    "%": size.plain_peak_bytes / 100,
  };
  const bytes = unit === "%way" ? bytesAtWay(number / 100, size) : Math.round(number * (factors[unit] ?? Number.NaN));
  return Number.isSafeInteger(bytes) ? bytes : null;
}

export function requestOf(question: Question, model: Model, size: ModelSize, device: Device): PlanRequest {
  const graph = graphOf(question, model);
  const request: PlanRequest = {
    model: model.id,
    platform: question.platform,
    graph,
    batch_size: question.batchSize,
    ram_budget: budgetOf(question, size, device),
    paging: question.paging,
    remat: question.remat,
    time_limit_s: question.timeLimitS,
  };
  if (question.deadlineRatio !== null) request.runtime_budget = question.deadlineRatio;
  for (const [name, value] of trainingFields(question, graph)) request[name] = value;
  if (question.dimensions) request.dimensions = question.dimensions;
  return request;
}

// A deadline as a number of times that computing everything once takes; null for one in seconds.
export function ratioOf(deadline: unknown): number | null {
  const text = String(deadline ?? "").replace(/x$/, "");
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
}

// The same as a ratio for another time, rounded up, so that what takes so long keeps it. Null where the deadline that
// was asked for, of `deadlineS` seconds, is not one.
export function ratioFor(timeS: number, deadline: unknown, deadlineS: number | null): number | null {
  const ratio = ratioOf(deadline);
  if (!ratio || !deadlineS) return null;
  return Math.ceil((timeS / deadlineS) * ratio * 1000) / 1000;
}

// A question as a link hands it over: fields of a plan request.
export function questionOf(asked: Record<string, string>): Question {
  const number = (text: string | undefined) => (text && Number.isFinite(Number(text)) ? Number(text) : null);
  return {
    ...blank,
    model: asked.model ?? "",
    platform: asked.platform ?? blank.platform,
    graph: asked.graph ?? "",
    batchSize: number(asked.batch_size) ?? 1,
    dimensions: asked.dimensions ?? "",
    optimiser: asked.optimiser ?? "",
    train: asked.train ?? "",
    loss: asked.loss ?? "",
    updates: asked.updates ?? "",
    parts: asked.parts ?? "",
    budgetBytes: number(asked.ram_budget),
    deadlineRatio: ratioOf(asked.runtime_budget),
    paging: asked.paging !== "false",
    remat: asked.remat !== "false",
    timeLimitS: number(asked.time_limit_s) ?? blank.timeLimitS,
  };
}

// The link to the form with the fields of a request, some of them changed.
export function askAgain(request: PlanRequest, changes: Record<string, number | null>): string {
  const network = ["model", "platform", "graph", "batch_size", "dimensions"];
  const training = ["optimiser", "train", "loss", "updates", "parts"];
  const limits = ["ram_budget", "runtime_budget", "paging", "remat", "time_limit_s"];
  const query = new URLSearchParams();
  for (const field of [...network, ...training, ...limits]) {
    const value = field in changes ? changes[field] : request[field];
    if (value !== null && value !== undefined && value !== "") query.set(field, String(value));
  }
  return `#/?${query}`;
}

// The part of a network that is trained, as the form shows it: "last:3" is the choice "last:" and "3".
export type Part = { choice: string; detail: string };

export function partOf(train: string): Part {
  const read = /^(last:|regex:|except:)(.*)$/s.exec(train);
  return read ? { choice: read[1] ?? "", detail: read[2] ?? "" } : { choice: train || "all", detail: "" };
}

// Until more is said: one layer, and patterns by which everything is trained.
const details: Record<string, string> = { "last:": "1", "regex:": ".", "except:": "^$" };

export function trainOf({ choice, detail }: Part): string {
  return choice in details ? `${choice}${detail || details[choice]}` : choice;
}

// Which schedules an answer speaks of: what the question leaves open, in the step that was chosen for it.
export function spaceText(request: PlanRequest, sliced: string[] | undefined): string {
  const ways = [request.remat !== false && "recompute", request.paging !== false && "page"].filter(Boolean);
  const may = ways.length > 0 ? `may ${ways.join(" and ")}` : "keep everything";
  if (request.graph === "released" || !sliced) return `schedules that ${may}`;
  const how = sliced.length > 0 ? `by slices of ${counted(sliced.length, "weight")}` : "of whole gradients";
  return `schedules that ${may}, with updates ${how}`;
}
