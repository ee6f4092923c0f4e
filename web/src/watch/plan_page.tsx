import { useEffect, useRef, useState } from "preact/hooks";
import { Explore } from "../explore/explore";
import { TradeOff } from "../explore/trade_off";
import { Loading, Trouble } from "../parts/loaded";
import type { Job } from "../service/types";
import { costFigure, percentFigure, sizeFigure, timeFigure } from "../text/figures";
import { type Closing, withReport } from "./closing";
import { Downloads } from "./downloads";
import { useJob } from "./follow_job";
import { ProgressChart } from "./progress_chart";
import { Figures, VerdictCard } from "./verdict";

const over = (job: Job) => job.state !== "queued" && job.state !== "running";

// What a listener hears while the search goes on: not every change, but what stands every few seconds.
function useSpoken(text: string, everyMs: number): string {
  const [spoken, setSpoken] = useState("");
  const latest = useRef(text);
  latest.current = text;
  useEffect(() => {
    const timer = setInterval(() => setSpoken(latest.current), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return spoken;
}

function stateText(job: Job): string {
  if (job.state === "queued")
    return job.ahead ? `It waits in the queue, ${job.ahead} before it.` : "It waits in the queue.";
  return "Searching.";
}

function spokenText(job: Job | null, closing: Closing): string {
  if (!job) return "";
  if (over(job)) return "The search has ended.";
  const best = closing.incumbents.at(-1);
  if (!best) return stateText(job);
  const gap = closing.gap === null ? "" : `, ${percentFigure(closing.gap)} of the overhead in doubt`;
  return `After ${timeFigure(Math.round(closing.elapsedS))}: best ${costFigure(best.value, closing.unit)}${gap}.`;
}

// How long the search has gone on: between two reports of it the page counts on by itself.
function useElapsed(reportedS: number): number {
  const [since, setSince] = useState(0);
  useEffect(() => {
    setSince(0);
    const began = performance.now();
    const timer = setInterval(() => setSince((performance.now() - began) / 1000), 500);
    return () => clearInterval(timer);
  }, [reportedS]);
  return reportedS > 0 ? reportedS + since : 0;
}

function Running({ job, closing: reported, cancel }: { job: Job; closing: Closing; cancel: () => void }) {
  const [asked, setAsked] = useState(false);
  const closing = { ...reported, elapsedS: useElapsed(reported.elapsedS) };
  const best = closing.incumbents.at(-1);
  const bound = closing.bounds.at(-1);
  return (
    <section class="card running">
      <header>
        <h2>{stateText(job)}</h2>
        <button
          type="button"
          id="cancel"
          disabled={asked}
          onClick={() => {
            setAsked(true);
            cancel();
          }}
        >
          {asked ? "Cancelling …" : best ? "Stop, keep the best so far" : "Cancel"}
        </button>
      </header>
      <div class="facts live">
        <div class="fact">
          <h3>Best so far</h3>
          <p class="value">{best ? costFigure(best.value, closing.unit) : "–"}</p>
        </div>
        <div class="fact">
          <h3>None has less than</h3>
          <p class="value">{bound ? costFigure(bound.value, closing.unit) : "–"}</p>
        </div>
        <div class="fact">
          <h3>Of the overhead in doubt</h3>
          <p class="value">{closing.gap === null ? "–" : percentFigure(closing.gap)}</p>
        </div>
        <div class="fact">
          <h3>Searched</h3>
          <p class="value">{timeFigure(closing.elapsedS)}</p>
          <p class="more">
            of at most {timeFigure(Number(job.request.time_limit_s ?? 60))}
            {closing.phase ? `; ${closing.phase}` : ""}
          </p>
        </div>
      </div>
      <ProgressChart closing={closing} />
    </section>
  );
}

function Answer({ job, closing }: { job: Job; closing: Closing }) {
  const report = job.result;
  const found = report !== null && report.energy_j !== null;
  const whole = report ? withReport(closing, report) : closing;
  return (
    <>
      <VerdictCard job={job} />
      {report && <Figures report={report} />}
      {found && <Explore id={job.id} />}
      {report && <TradeOff job={job} />}
      {whole.incumbents.length + whole.bounds.length > 2 && (
        <section class="card">
          <header>
            <h2>How it was found</h2>
            {report && <p class="soft small">{timeFigure(report.solve_s)} of search</p>}
          </header>
          <ProgressChart closing={whole} />
        </section>
      )}
      <Downloads job={job} />
    </>
  );
}

function Asked({ job }: { job: Job }) {
  const { request } = job;
  const parts = [`${request.graph ?? ""} graph`, `batch of ${request.batch_size ?? 1}`];
  if (request.ram_budget !== undefined && request.ram_budget !== null) {
    const bytes = Number(request.ram_budget);
    parts.push(`RAM budget ${Number.isFinite(bytes) ? sizeFigure(bytes) : request.ram_budget}`);
  }
  const deadline = String(request.runtime_budget ?? "");
  const times = /^[\d.]+x?$/.test(deadline);
  parts.push(
    deadline ? `deadline ${deadline.replace(/x$/, "")}${times ? " times computing once" : ""}` : "no deadline",
  );
  if (request.optimiser && request.graph !== "released") parts.push(String(request.optimiser));
  if (request.paging === false) parts.push("no paging");
  if (request.remat === false) parts.push("no recomputation");
  return <p class="lead small">{parts.join(" · ")}</p>;
}

export function PlanPage({ id }: { id: string }) {
  const { job, closing, error, cancel } = useJob(id);
  const spoken = useSpoken(spokenText(job as Job | null, closing), 3000);
  if (error)
    return (
      <Trouble error={error}>
        <a href="#/">Ask for a plan</a>
      </Trouble>
    );
  if (!job) return <Loading what="Looking for this plan …" />;
  const plan = job as Job;
  return (
    <>
      <h1>
        {plan.model_name} <span class="soft">on {String(plan.request.platform)}</span>
      </h1>
      <Asked job={plan} />
      <p class="hidden" role="status" aria-live="polite">
        {spoken}
      </p>
      {over(plan) ? <Answer job={plan} closing={closing} /> : <Running job={plan} closing={closing} cancel={cancel} />}
    </>
  );
}
