import type { Device, ModelSize } from "../service/types";
import { countFigure, percentFigure, sizeFigure } from "../text/figures";
import { boardBytes, leastOf, mayBeCut, type Question, wayOf } from "./question";

// What takes the rest of a board's RAM, where the step is to run on it.
export function heldText(graph: string, device: Device): string {
  const all = sizeFigure(device.ram_bytes);
  const left = boardBytes(graph, device);
  if (left >= device.ram_bytes) return `${device.name} has ${all}`;
  return `${device.name} has ${all}, of which stack and other data of a program leave ${sizeFigure(left)}`;
}

// Whether what is known is about updates of whole gradients, so that slices may need less.
function wholeOnly(question: Question, size: ModelSize): boolean {
  if (size.graph !== "real" || question.updates === "sliced") return false;
  return question.updates === "separate" || size.least_bytes === undefined;
}

function updatesText(question: Question, size: ModelSize): string {
  if (size.graph !== "real") return "";
  if (question.updates === "sliced") return " with updates by slices";
  if (wholeOnly(question, size)) return " with updates of whole gradients";
  return ", with whichever updates";
}

// How a budget stands to what the device has; null where it simply fits.
export function deviceSentence(
  question: Question,
  budget: number,
  size: ModelSize,
  device: Device,
): { text: string; warns: boolean } | null {
  const board = boardBytes(size.graph, device);
  const largest = `${size.least_operation ?? size.working_set_operation} alone needs ${sizeFigure(leastOf(size))}`;
  if (board < leastOf(size) && mayBeCut(question, size)) {
    if (budget > board)
      return { warns: true, text: `That is more than the board can give: ${heldText(size.graph, device)}.` };
    return {
      warns: false,
      text: `As a whole, ${largest}, and ${heldText(size.graph, device)}. So operations will come in parts.`,
    };
  }
  if (board < leastOf(size)) {
    const hint = wholeOnly(question, size) ? " Updates by slices may need less." : "";
    return {
      warns: true,
      text: `No schedule fits into ${device.name}${updatesText(question, size)}: ${largest}, and ${heldText(size.graph, device)}. A larger budget can still be planned.${hint}`,
    };
  }
  if (budget > board)
    return { warns: true, text: `That is more than the board can give: ${heldText(size.graph, device)}.` };
  if (board >= size.plain_peak_bytes)
    return {
      warns: false,
      text: `${device.name} has ${sizeFigure(device.ram_bytes)}: everything could be kept. ${smallerText(question, size)}`,
    };
  return null;
}

// What less RAM than keeping everything takes would mean.
function smallerText(question: Question, size: ModelSize): string {
  if (leastOf(size) < size.plain_peak_bytes) return "A smaller budget shows what saving RAM costs.";
  return mayBeCut(question, size) ? "With less, operations come in parts." : "No schedule needs less than that.";
}

// Where a budget lies between the largest working set and the plain peak.
export function wayText(question: Question, budget: number, size: ModelSize): string {
  const way = wayOf(budget, size);
  if (budget > size.plain_peak_bytes) return "more than keeping everything needs";
  if (way >= 0) return `${percentFigure(way)} of the way to keeping everything`;
  if (budget >= leastOf(size)) {
    const parts = mayBeCut(question, size) ? " or operations in parts" : "";
    return `only with updates by slices${parts}: with whole gradients ${parts ? "whole operations" : "operations"} need ${countFigure(size.working_set_bytes)}`;
  }
  return mayBeCut(question, size) ? "only with operations in parts, if at all" : "less than any schedule needs";
}
