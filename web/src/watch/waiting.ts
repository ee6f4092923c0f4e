import type { Job } from "../service/types";
import { counted } from "../text/figures";

// Why a job waits: in the service's words, or by its place in the queue.
export function waitingText(job: Pick<Job, "ahead" | "waits_for">): string {
  if (job.waits_for) return `${job.waits_for.charAt(0).toUpperCase()}${job.waits_for.slice(1).replace(/\.$/, "")}.`;
  if (job.ahead === 0) return "Everything that may run at a time is running. It is the next.";
  if (!job.ahead) return "The service has not begun with it yet.";
  const wait = job.ahead === 1 ? "waits" : "wait";
  return `Everything that may run at a time is running, and ${counted(job.ahead, "other")} ${wait} before it.`;
}
