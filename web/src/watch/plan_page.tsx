import { useEffect, useRef, useState } from "preact/hooks";
import { Explore } from "../explore/explore";
import { TradeOff } from "../explore/trade_off";
import { Away, Loading, Trouble } from "../parts/loaded";
import { useDevices } from "../service/devices";
import type { Curve, Job } from "../service/types";
import { costFigure, percentFigure, timeFigure } from "../text/figures";
import { Breakable } from "../text/name";
import { askedText } from "./asked_text";
import { type Closing, withReport } from "./closing";
import { ComparisonPage } from "./comparison_page";
import { Downloads } from "./downloads";
import { type Followed, useJob } from "./follow_job";
import { phaseText } from "./phase_text";
import { ProgressChart } from "./progress_chart";
import { type Saying, spokenNow } from "./spoken";
import { Figures, VerdictCard } from "./verdict";
import { waitingText } from "./waiting";
import { CancelButton, Waiting } from "./waiting_card";

const over = (job: Job) => job.state !== "queued" && job.state !== "running";

// What a listener hears while the search goes on: not every change, but what stands every few seconds, and at once what
// another state of the job brings.
function useSpoken(text: string, state: string, everyMs: number): string {
  const [said, setSaid] = useState<Saying>({ state: "", text: "" });
  const latest = useRef("");
  latest.current = text;
  useEffect(() => {
    const say = () => setSaid({ state, text: latest.current });
    say();
    const timer = setInterval(say, everyMs);
    return () => clearInterval(timer);
  }, [state, everyMs]);
  return spokenNow(said, { state, text });
}

function spokenText(job: Job | null, closing: Closing): string {
  if (!job) return "";
  if (over(job)) return "The search has ended.";
  const best = closing.incumbents.at(-1);
  if (job.state === "queued") return `It waits. ${waitingText(job)}`;
  if (!best) return "Searching.";
  const gap = closing.gap === null ? "" : `, ${percentFigure(closing.gap)} of the overhead in doubt`;
  return `After ${timeFigure(Math.round(closing.elapsedS))}: best ${costFigure(best.value, closing.unit)}${gap}.`;
}

// How long the search has gone on: between two reports of it the page counts on by itself, while the service is heard.
function useElapsed(reportedS: number, heard: boolean): number {
  const [since, setSince] = useState(0);
  useEffect(() => {
    if (!heard) return;
    setSince(0);
    const began = performance.now();
    const timer = setInterval(() => setSince((performance.now() - began) / 1000), 500);
    return () => clearInterval(timer);
  }, [reportedS, heard]);
  return reportedS > 0 ? reportedS + since : 0;
}

function Running({ job, followed }: { job: Job; followed: Followed<unknown> }) {
  const { closing: reported, cancel, away } = followed;
  const closing = { ...reported, elapsedS: useElapsed(reported.elapsedS, !away) };
  const best = closing.incumbents.at(-1);
  const bound = closing.bounds.at(-1);
  return (
    <section class="card running">
      <header>
        <h2>{away ? "It was searching" : "Searching"}</h2>
        <CancelButton text={best ? "Stop, keep the best so far" : "Cancel"} cancel={cancel} away={away} />
      </header>
      <div class="facts live">
        <div class="fact">
          <h3>Best so far</h3>
          <p class="value">{best ? costFigure(best.value, closing.unit) : "–"}</p>
        </div>
        <div class="fact">
          <h3>No schedule of this step has less than</h3>
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
            {closing.phase ? `; ${phaseText(closing.phase)}` : ""}
          </p>
        </div>
      </div>
      <ProgressChart closing={closing} />
    </section>
  );
}

function Answer({ job, closing }: { job: Job; closing: Closing }) {
  const report = job.result;
  const device = useDevices().find((one) => one.name === job.request.platform);
  const found = report !== null && report.energy_j !== null;
  const whole = report ? withReport(closing, report) : closing;
  return (
    <>
      <VerdictCard job={job} device={device} />
      {report && <Figures report={report} device={device} />}
      {found && <Explore id={job.id} />}
      {report && <TradeOff job={job} />}
      {whole.incumbents.length + whole.bounds.length > 2 && (
        <section class="card">
          <header>
            <h2>How it was found</h2>
            <p class="soft small">{timeFigure(whole.elapsedS)} of search</p>
          </header>
          <ProgressChart closing={whole} />
        </section>
      )}
      <Downloads job={job} device={device} />
    </>
  );
}

function Asked({ job }: { job: Job }) {
  return <p class="lead small">{askedText(job.request).join(" · ")}</p>;
}

export function PlanPage({ id }: { id: string }) {
  const followed = useJob<unknown>(id);
  const { job, closing, error, away } = followed;
  const spoken = useSpoken(spokenText(job as Job | null, closing), job?.state ?? "", 3000);
  if (error)
    return (
      <Trouble error={error}>
        <a href="#/">Ask for a plan</a>
      </Trouble>
    );
  if (!job) return <Loading what="Looking for this plan …" />;
  if (job.kind === "curve") return <ComparisonPage followed={followed as Followed<Curve>} />;
  const plan = job as Job;
  return (
    <>
      <h1>
        <Breakable text={plan.model_name} /> <span class="soft">on {String(plan.request.platform)}</span>
      </h1>
      <Asked job={plan} />
      <p class="hidden" role="status" aria-live="polite">
        {spoken}
      </p>
      {away && !over(plan) && <Away />}
      {over(plan) && <Answer job={plan} closing={closing} />}
      {plan.state === "queued" && <Waiting followed={followed} />}
      {plan.state === "running" && <Running job={plan} followed={followed} />}
    </>
  );
}
