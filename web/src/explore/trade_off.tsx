import { useState } from "preact/hooks";
import { Away, Trouble } from "../parts/loaded";
import { getJson, postJson } from "../service/call";
import type { Curve, Job, ModelSize } from "../service/types";
import { type Followed, useJob } from "../watch/follow_job";
import { waitingText } from "../watch/waiting";
import { curveRequest, sizePath } from "./curve_request";
import { Drawn, type Found } from "./curves";

// How far a comparison has come.
export function PointsProgress({ followed }: { followed: Followed<Curve> }) {
  const { job, points, away } = followed;
  return (
    <>
      {away && <Away />}
      <div role="status">
        <progress max={points?.all ?? 1} value={points?.done ?? 0} aria-label="Points that are planned" />
        <p class="soft small">
          {points?.all
            ? `${points.done ?? 0} of ${points.all} points are planned.`
            : job?.state === "queued"
              ? `It waits for its turn. ${waitingText(job)}`
              : "It begins."}
        </p>
      </div>
    </>
  );
}

function planOf({ result }: Job): Found | null {
  const cost = result?.objective === "time" ? result.time_s : result?.energy_j;
  return result && cost != null ? { budget: result.ram_budget_bytes, cost } : null;
}

// Energy over RAM budgets for POET and for what others do; computed when it is asked for, because it plans many times.
export function TradeOff({ job }: { job: Job }) {
  const [id, setId] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Error | null>(null);
  const curve = useJob<Curve>(id);
  const plan = planOf(job);
  const ask = async () => {
    setBusy(true);
    setRefused(null);
    try {
      // Without the sizes, as of a network that is not here any more, the service says what it has to say.
      const size = await getJson<ModelSize>(sizePath(job.request)).catch(() => null);
      setId((await postJson<Job>("/v1/curves", curveRequest(job.request, size, plan?.budget ?? null))).id);
    } catch (error) {
      setRefused(error as Error);
    }
    setBusy(false);
  };
  const result = curve.job?.result;
  const failed = curve.job?.error ? new Error(curve.job.error.message) : null;
  const error = refused ?? curve.error ?? failed;
  return (
    <section class="card" id="trade-off">
      <header>
        <h2>More RAM or more energy</h2>
        {id === null && (
          <button type="button" id="draw-curve" onClick={ask} disabled={busy}>
            {busy ? "Asking …" : "Compare with other methods"}
          </button>
        )}
        {id !== null && !result && !error && (
          <button type="button" onClick={curve.cancel} disabled={curve.away}>
            Stop
          </button>
        )}
      </header>
      {id === null && (
        <p class="soft">What each budget costs, with POET and with what others do for the same problem.</p>
      )}
      {id !== null && !result && !error && <PointsProgress followed={curve} />}
      {error && <Trouble error={error} />}
      {result && <Drawn curve={result} plan={plan} />}
    </section>
  );
}
