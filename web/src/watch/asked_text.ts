import type { PlanRequest } from "../service/types";
import { counted, sizeFigure, timeFigure } from "../text/figures";

// How it is trained, where that is not as usual.
function trainingParts(request: PlanRequest): string[] {
  const parts = [String(request.optimiser ?? "sgd")];
  if (request.train && request.train !== "all") parts.push(`trains ${request.train}`);
  if (request.loss && request.loss !== "cross-entropy") parts.push(`loss ${request.loss}`);
  if (request.updates && request.updates !== "auto") parts.push(`${request.updates} updates`);
  if (request.parts === "whole") parts.push("whole operations");
  else if (request.parts && request.parts !== "auto") parts.push(`operations in parts of ${request.parts}`);
  return parts;
}

// A comparison has many budgets, in a list or as so many.
function budgetText(request: PlanRequest): string[] {
  const { ram_budget: budget, budgets, points } = request;
  if (Array.isArray(budgets)) return [counted(budgets.length, "budget")];
  if (points) return [counted(Number(points), "budget")];
  if (budget === undefined || budget === null) return ["budget: the device's RAM"];
  return [`budget ${Number.isFinite(Number(budget)) ? sizeFigure(Number(budget)) : budget}`];
}

// "1.5x" is a factor and not a time.
function deadlineText(deadline: string): string {
  if (deadline === "") return "no deadline";
  if (/^[\d.]+x?$/.test(deadline)) return `deadline ${deadline.replace(/x$/, "")} times computing once`;
  return `deadline ${/^[\d.]+s$/.test(deadline) ? timeFigure(Number.parseFloat(deadline)) : deadline}`;
}

// What was asked for, in parts: the same of every plan first.
export function askedText(request: PlanRequest): string[] {
  return [
    ...budgetText(request),
    deadlineText(String(request.runtime_budget ?? "")),
    `batch of ${request.batch_size ?? 1}`,
    ...(request.graph === "released" ? ["released graph"] : trainingParts(request)),
    ...(request.paging === false ? ["no paging"] : []),
    ...(request.remat === false ? ["no recomputation"] : []),
  ];
}
