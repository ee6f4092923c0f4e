import { heldText } from "../form/budget_sentence";
import { boardBytes, spaceText } from "../form/question";
import type { Device, Job, Report, Summary } from "../service/types";
import { percentFigure, sizeFigure } from "../text/figures";
import { pageWords } from "../text/page_words";

// Beyond: a plan for a budget that the board does not have.
export type Tone = "best" | "found" | "beyond" | "no" | "unknown";
export type Verdict = { tone: Tone; title: string; text: string };

// Whether a plan takes more RAM than its board can give it; of unknown devices nothing is said.
export function isBeyond(graph: unknown, peakBytes: number | null | undefined, device: Device | undefined): boolean {
  return device !== undefined && peakBytes != null && peakBytes > boardBytes(String(graph), device);
}

// A doubt that is smaller than a figure has digits is told as the smallest figure.
function doubtFigure(overheadGap: number): string {
  const figure = percentFigure(Math.max(overheadGap, 1e-4)).replace(" ", "\u00a0"); // not "0.78", and "%" on the next line
  return `${figure} of the overhead`;
}

function doubtOf(report: Report): string {
  if (report.overhead_gap === null) return "";
  if (report.overhead_gap === 0) return "No schedule needs less.";
  return `At most ${doubtFigure(report.overhead_gap)} could still be saved.`;
}

// The program's sentences go on after a colon; here they stand alone.
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

// Other parts, or any where operations stayed whole, may do with less.
function cutText(report: Report): string {
  const { parts } = report;
  if (!parts) return "";
  if (parts.part_bytes !== null) return `, of operations in parts of at most ${sizeFigure(parts.part_bytes)}`;
  return parts.asked === "auto" ? ", of operations as a whole" : "";
}

function ofSpace(job: Job, report: Report): string {
  return `This is about ${spaceText(job.request, report.updates?.sliced)}${cutText(report)}.`;
}

// "Proved" is what anybody can check; otherwise it says whose word it is.
function isProved(report: Report): boolean {
  return report.evidence === "arithmetic" || report.evidence === "certificate";
}

function proofOf(report: Report): string {
  if (report.evidence === "certificate") return `Proved by a certificate that was checked. ${doubtOf(report)}`;
  if (report.evidence !== "arithmetic") return `${wordOf(report)} ${doubtOf(report)}`;
  if (report.overhead_gap) return `Proved by what every schedule has to do. ${doubtOf(report)}`;
  return `Proved: no schedule can avoid what it costs. ${doubtOf(report)}`;
}

// A search ends where what is left in doubt is less than it was told to care for, and the title says how much that is.
function bestTitle(report: Report): string {
  const within = report.overhead_gap ? ` to within ${doubtFigure(report.overhead_gap)}` : "";
  return isProved(report) ? `Proved best${within}` : `Best${within}, by ${report.backend || "the search"}`;
}

function wordOf(report: Report): string {
  return `That is the word of ${report.backend || "the search"}: no certificate covers it.`;
}

// The words of a schedule that was found, which its board can hold or not.
function foundVerdict(job: Job, report: Report, device: Device | undefined): Verdict {
  const best = report.status === "optimal";
  const cancelled = job.state === "cancelled";
  const title = best
    ? bestTitle(report)
    : cancelled
      ? "The best until it was cancelled"
      : "The best that was found in time";
  const proof = best
    ? `${proofOf(report)} ${ofSpace(job, report)}`
    : `A valid schedule that is not proved best. ${doubtOf(report)} ${ofSpace(job, report)}`;
  if (!device || !isBeyond(report.graph, report.peak_ram_bytes, device))
    return { tone: best ? "best" : "found", title, text: proof };
  return {
    tone: "beyond",
    title: `${title}, but ${device.name} cannot hold it`,
    text: `It takes ${sizeFigure(report.peak_ram_bytes ?? 0)} of RAM: ${heldText(report.graph, device)}. ${proof}`,
  };
}

export function verdictOf(job: Job, device: Device | undefined): Verdict {
  const report = job.result;
  if (job.state === "failed")
    return { tone: "no", title: "It failed", text: pageWords(job.error?.message ?? "The service does not say why.") };
  if (!report)
    return { tone: "unknown", title: "Cancelled before there was a schedule", text: "Nothing was found until then." };
  if (report.status === "optimal" || report.status === "feasible") return foundVerdict(job, report, device);
  if (report.status === "infeasible") {
    const reason = report.infeasible ? [sentence(pageWords(report.infeasible.reason))] : [];
    const source = isProved(report) ? "That there is no such schedule is proved." : wordOf(report);
    const title = report.parts?.asked === "auto" ? "No schedule was found" : "No schedule exists";
    return { tone: "no", title, text: [...reason, source, ofSpace(job, report)].join(" ") };
  }
  return {
    tone: "unknown",
    title: job.state === "cancelled" ? "Cancelled before there was a schedule" : "No schedule was found in time",
    text: "That one exists is not ruled out: allow more time, more RAM or a later deadline.",
  };
}

// The same in a word or two, for a list.
export function outcomeOf(
  job: { state: string; request: Record<string, unknown>; summary: Summary | null },
  device: Device | undefined,
): { tone: Tone; text: string } {
  if (job.state === "queued") return { tone: "unknown", text: "waits" };
  if (job.state === "running") return { tone: "unknown", text: "running" };
  if (job.state === "failed") return { tone: "no", text: "failed" };
  const status = job.summary?.status;
  if (status === "infeasible") return { tone: "no", text: "no schedule" };
  if (status !== "optimal" && status !== "feasible")
    return { tone: "unknown", text: job.state === "cancelled" ? "cancelled" : "none found" };
  if (isBeyond(job.request.graph, job.summary?.peak_ram_bytes, device))
    return { tone: "beyond", text: "too large for it" };
  return status === "optimal" ? { tone: "best", text: "best" } : { tone: "found", text: "found" };
}
