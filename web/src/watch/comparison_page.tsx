import { Drawn } from "../explore/curves";
import { PointsProgress } from "../explore/trade_off";
import { askAgain } from "../form/question";
import { Trouble } from "../parts/loaded";
import type { Curve } from "../service/types";
import { Breakable } from "../text/name";
import { askedText } from "./asked_text";
import type { Followed } from "./follow_job";
import { CancelButton, Waiting } from "./waiting_card";

function Running({ followed }: { followed: Followed<Curve> }) {
  return (
    <section class="card">
      <header>
        <h2>Comparing</h2>
        <CancelButton text="Stop" cancel={followed.cancel} away={followed.away} />
      </header>
      <PointsProgress followed={followed} />
    </section>
  );
}

function Ended({ followed: { job } }: { followed: Followed<Curve> }) {
  if (job?.error) return <Trouble error={new Error(job.error.message)} />;
  return (
    <section class="card" id="trade-off">
      <header>
        <h2>More RAM or more energy</h2>
      </header>
      {job?.result ? (
        <Drawn curve={job.result} plan={null} />
      ) : (
        <p class="soft">It was stopped before it came to anything.</p>
      )}
    </section>
  );
}

// A comparison under its own address: what each budget costs, by several methods.
export function ComparisonPage({ followed }: { followed: Followed<Curve> }) {
  const { job } = followed;
  if (!job) return null;
  return (
    <>
      <h1>
        Methods compared: <Breakable text={job.model_name} />{" "}
        <span class="soft">on {String(job.request.platform)}</span>
      </h1>
      <p class="lead small">{askedText(job.request).join(" · ")}</p>
      {job.state === "queued" && <Waiting followed={followed} />}
      {job.state === "running" && <Running followed={followed} />}
      {job.state !== "queued" && job.state !== "running" && <Ended followed={followed} />}
      <p>
        <a class="button" href={askAgain(job.request, {})}>
          Find a plan for one budget
        </a>
      </p>
    </>
  );
}
