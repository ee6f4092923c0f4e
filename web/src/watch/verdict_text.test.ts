import { expect, test } from "vitest";
import type { Device, Infeasible, Job, Report } from "../service/types";
import { outcomeOf, verdictOf } from "./verdict_text";

const KiB = 1024;
const m4 = { name: "m4", ram_bytes: 256 * KiB, project_ram_bytes: 247 * KiB } as Device;
const job = (report: Partial<Report>, request = {}): Job =>
  ({
    state: "done",
    request,
    result: { overhead_gap: 0, backend: "cbc", evidence: "certificate", graph: "real", ...report },
  }) as unknown as Job;
const optimal = (peak: number, graph = "real") => job({ status: "optimal", peak_ram_bytes: peak * KiB, graph });

test("proved best is green only where the board can hold the plan", () => {
  expect(verdictOf(optimal(247), m4)).toMatchObject({ tone: "best", title: "Proved best" });
  expect(verdictOf(optimal(248), m4)).toMatchObject({
    tone: "beyond",
    title: "Proved best, but m4 cannot hold it",
    text: expect.stringMatching(
      /^It takes 248 KiB of RAM: m4 has 256 KiB, of which stack .* leave 247 KiB\. Proved by a certificate/,
    ),
  });
  expect(verdictOf(optimal(256, "released"), m4).tone).toBe("best");
  expect(verdictOf(optimal(257, "released"), m4).tone).toBe("beyond");
  expect(verdictOf(optimal(300), undefined).tone).toBe("best");
});

test("without a proof it names whose word it is", () => {
  const word = job({ status: "optimal", evidence: "backend", backend: "cbc 2.10.8", peak_ram_bytes: KiB });
  expect(verdictOf(word, m4)).toMatchObject({
    tone: "best",
    title: "Best, by cbc 2.10.8",
    text: expect.stringMatching(/^That is the word of cbc 2\.10\.8: no certificate covers it\./),
  });
});

test("what is proved to within something says to within what", () => {
  const within = (overhead_gap: number, evidence: NonNullable<Report["evidence"]> = "certificate") =>
    verdictOf(job({ status: "optimal", overhead_gap, evidence }), m4);
  expect(within(0.0078)).toMatchObject({
    title: "Proved best to within 0.78\u00a0% of the overhead",
    text: expect.stringMatching(
      /^Proved by a certificate .* At most 0\.78\s% of the overhead could still be saved\. This/,
    ),
  });
  expect(within(0.0078, "arithmetic").text).toMatch(/^Proved by what every schedule has to do\. At most 0\.78\s% /);
  expect(within(0.0078, "backend").title).toBe("Best to within 0.78\u00a0% of the overhead, by cbc");
  expect(within(1e-7).title).toBe("Proved best to within 0.01\u00a0% of the overhead");
  expect(within(0).text).toMatch(/^Proved by a certificate that was checked\. No schedule needs less\. This/);
});

test("a no names whose word it is", () => {
  const no = (evidence: NonNullable<Report["evidence"]>, more: Partial<Report> = {}) =>
    verdictOf(job({ status: "infeasible", evidence, backend: "cbc 2.10.8", ...more }), m4).text;
  const reason = { infeasible: { reason: "it is too small" } as Infeasible };
  expect(no("arithmetic", reason)).toMatch(/^It is too small\. That there is no such schedule is proved\. This is/);
  expect(no("backend", reason)).toMatch(
    /^It is too small\. That is the word of cbc 2\.10\.8: no certificate covers it\. This is/,
  );
  expect(no("backend")).toMatch(/^That is the word of cbc 2\.10\.8/);
});

test("a proof and a no say which schedules they speak of", () => {
  const space = /This is about schedules that may recompute and page, with updates by slices of 1 weight\.$/;
  const updates = { asked: "auto", sliced: ["fc1.weight"] };
  expect(verdictOf(job({ status: "optimal", updates }), m4).text).toMatch(space);
  const no = job({ status: "infeasible", updates, infeasible: { reason: "it is too small" } as Infeasible });
  expect(verdictOf(no, m4).text).toMatch(/^It is too small\. That there is no such schedule is proved\. This is about/);
  expect(verdictOf(no, m4).text).toMatch(space);
});

test("a list says it in a word", () => {
  const summary = { status: "optimal" as const, energy_j: 1, overhead_gap: 0, time_s: 1 };
  const listed = (peak: number) => ({
    state: "done",
    request: { graph: "real" },
    summary: { ...summary, peak_ram_bytes: peak * KiB },
  });
  expect(outcomeOf(listed(200), m4)).toEqual({ tone: "best", text: "best" });
  expect(outcomeOf(listed(300), m4)).toEqual({ tone: "beyond", text: "too large for it" });
  expect(outcomeOf({ state: "queued", request: {}, summary: null }, m4)).toEqual({ tone: "unknown", text: "waits" });
});

test("an answer says how operations were cut", () => {
  const cut = (parts: unknown) => verdictOf(job({ status: "optimal", parts } as Partial<Report>), undefined).text;
  expect(cut({ asked: "auto", part_bytes: 1536 })).toMatch(/, of operations in parts of at most 1\.5 KiB\.$/);
  expect(cut({ asked: "auto", part_bytes: null })).toMatch(/, of operations as a whole\.$/);
  expect(cut({ asked: "whole", part_bytes: null })).toMatch(/schedules that may recompute and page\.$/);
  expect(cut(null)).toMatch(/schedules that may recompute and page\.$/);
});
