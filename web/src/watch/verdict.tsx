import { askAgain, boardBytes, ratioFor } from "../form/question";
import { Fact } from "../parts/fact";
import type { Device, Job, Report } from "../service/types";
import { counted, energyFigure, percentFigure, sizeFigure, timeFigure } from "../text/figures";
import { pageWords } from "../text/page_words";
import { isBeyond, verdictOf } from "./verdict_text";

// What else to ask where the answer was no.
function OtherQuestions({ job, device }: { job: Job; device: Device | undefined }) {
  const why = job.result?.infeasible;
  const links: { text: string; href: string }[] = [];
  if (why?.working_budget_bytes)
    links.push({
      text: `Plan with ${sizeFigure(why.working_budget_bytes)}, for which there is a schedule`,
      href: askAgain(job.request, { ram_budget: why.working_budget_bytes }),
    });
  else if (why?.least_budget_bytes)
    links.push({
      text: `Ask again with ${sizeFigure(why.least_budget_bytes)}: no smaller budget works`,
      href: askAgain(job.request, { ram_budget: why.least_budget_bytes }),
    });
  const later =
    why?.working_time_s && ratioFor(why.working_time_s, job.request.runtime_budget, job.result?.deadline_s ?? null);
  if (later)
    links.push({
      text: `Plan with a deadline of ${timeFigure(why?.working_time_s ?? 0)}, for which there is a schedule`,
      href: askAgain(job.request, { runtime_budget: later }),
    });
  if (why && job.request.runtime_budget)
    links.push({ text: "Plan without a deadline", href: askAgain(job.request, { runtime_budget: null }) });
  if (device && verdictOf(job, device).tone === "beyond")
    links.push({
      text: `Plan with the ${sizeFigure(boardBytes(String(job.request.graph), device))} that ${device.name} can give`,
      href: askAgain(job.request, { ram_budget: boardBytes(String(job.request.graph), device) }),
    });
  if (links.length === 0) links.push({ text: "Change the question", href: askAgain(job.request, {}) });
  return (
    <p class="row">
      {links.map((link) => (
        <a class="button" key={link.href} href={link.href}>
          {link.text}
        </a>
      ))}
    </p>
  );
}

export function VerdictCard({ job, device }: { job: Job; device: Device | undefined }) {
  const verdict = verdictOf(job, device);
  const warnings = (job.result?.warnings ?? []).map(pageWords);
  return (
    <section class={`card verdict ${verdict.tone}`} aria-label="Answer">
      <h2>{verdict.title}</h2>
      <p>{verdict.text}</p>
      {verdict.tone !== "best" && verdict.tone !== "found" && <OtherQuestions job={job} device={device} />}
      {warnings.length > 0 && (
        <ul class="small soft">
          {warnings.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

// Slower memories that operations reach by address.
function MemoryFacts({ report }: { report: Report }) {
  const access = report.access_s ?? 0;
  return (
    <>
      {(report.further_memories ?? []).map((memory) => (
        <Fact
          key={memory.name}
          name={`Peak ${memory.name}`}
          value={sizeFigure(memory.peak_bytes ?? 0)}
          part={(memory.peak_bytes ?? 0) / Math.max(memory.size_bytes, 1)}
          more={`of ${sizeFigure(memory.size_bytes)} beside the RAM${access > 0 ? `; slower memory takes ${timeFigure(access)} of the step` : ""}`}
        />
      ))}
    </>
  );
}

export function Figures({ report, device }: { report: Report; device: Device | undefined }) {
  if (report.energy_j === null || report.time_s === null || report.peak_ram_bytes === null) return null;
  const overhead = report.overhead_j ?? 0;
  const plain = report.plain_peak_bytes;
  // Cut or updated otherwise, a step may do with less.
  const inStep = report.scope === "all-steps" ? "" : " of this step";
  const deadline = report.deadline_s;
  const moved = (report.read_bytes ?? 0) + (report.written_bytes ?? 0);
  return (
    <div class="facts">
      <Fact
        name="Peak RAM"
        value={sizeFigure(report.peak_ram_bytes)}
        part={report.peak_ram_bytes / Math.max(plain, report.ram_budget_bytes)}
        mark={report.ram_budget_bytes / Math.max(plain, report.ram_budget_bytes)}
        beyond={isBeyond(report.graph, report.peak_ram_bytes, device)}
        more={`budget ${sizeFigure(report.ram_budget_bytes)}; keeping everything needs ${sizeFigure(plain)}`}
      />
      <MemoryFacts report={report} />
      <Fact
        name="Energy of a step"
        value={energyFigure(report.energy_j)}
        more={
          overhead > 0
            ? `${energyFigure(overhead)} (${percentFigure(overhead / report.unavoidable_j)}) above what no schedule${inStep} can save`
            : `no schedule${inStep} has less`
        }
      />
      <Fact
        name="Time of a step"
        value={timeFigure(report.time_s)}
        part={deadline ? report.time_s / deadline : undefined}
        more={
          deadline
            ? `of ${timeFigure(deadline)} until the deadline`
            : report.stall_s
              ? `no deadline; ${timeFigure(report.stall_s)} of it waits for storage`
              : "no deadline; it never waits for storage"
        }
      />
      <Fact
        name="Recomputed"
        value={counted(report.recomputed_operations ?? 0, "operation")}
        more="executions beyond the first of each"
      />
      <Fact
        name="Paged"
        value={counted(report.paged_tensors ?? 0, "tensor")}
        more={
          moved > 0
            ? `${sizeFigure(report.written_bytes ?? 0)} written, ${sizeFigure(report.read_bytes ?? 0)} read${report.paged_tensors ? "" : ", of what is at home in storage anyway"}`
            : "nothing moves to or from storage"
        }
      />
    </div>
  );
}
