import { Loading, Trouble, useLoaded } from "../parts/loaded";
import { getJson } from "../service/call";
import { useDevices } from "../service/devices";
import type { ListedJob } from "../service/types";
import { agoFigure, energyFigure, sizeFigure } from "../text/figures";
import { Breakable } from "../text/name";
import { askedText } from "../watch/asked_text";
import { outcomeOf } from "../watch/verdict_text";

const fetchPlans = (limit: number) => (signal: AbortSignal) =>
  getJson<{ plans: ListedJob[] }>(`/v1/plans?kind=plan&limit=${limit}`, signal);

function List({ jobs }: { jobs: ListedJob[] }) {
  const now = Date.now();
  const devices = useDevices();
  return (
    <ul class="plans">
      {jobs.map((job) => {
        const device = devices.find((one) => one.name === job.request.platform);
        const { tone, text } = outcomeOf(job, device);
        const { summary } = job;
        return (
          <li key={job.id}>
            <a href={`#/plans/${job.id}`}>
              <span class="plan-name">
                <strong>
                  <Breakable text={job.model_name} />
                </strong>{" "}
                on {String(job.request.platform)}
                <small class="plan-asked">{askedText(job.request).join(" · ")}</small>
              </span>
              <span class={`chip ${tone}`}>{text}</span>
              <span class="plan-figures small">
                {summary?.energy_j != null && energyFigure(summary.energy_j)}
                {summary?.peak_ram_bytes != null && ` in ${sizeFigure(summary.peak_ram_bytes)}`}
              </span>
              <span class="small soft plan-when">{job.created_at ? agoFigure(job.created_at, now) : ""}</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

export function Plans() {
  const loaded = useLoaded(fetchPlans(200), []);
  return (
    <>
      <h1>Plans</h1>
      <p class="lead">What was asked of this service, the newest first. Who asks the same again gets the same plan.</p>
      {loaded.state === "loading" && <Loading what="Fetching the list …" />}
      {loaded.state === "error" && <Trouble error={loaded.error} />}
      {loaded.state === "ready" && (
        <section class="card">
          {loaded.value.plans.length > 0 ? (
            <List jobs={loaded.value.plans} />
          ) : (
            <p>
              Nothing was asked yet. <a href="#/">Ask for the first plan.</a>
            </p>
          )}
        </section>
      )}
    </>
  );
}

// The last few, where there are any.
export function RecentPlans() {
  const loaded = useLoaded(fetchPlans(5), []);
  if (loaded.state !== "ready" || loaded.value.plans.length === 0) return null;
  return (
    <section class="card">
      <header>
        <h2>Earlier plans</h2>
        <a class="small" href="#/plans">
          all of them
        </a>
      </header>
      <List jobs={loaded.value.plans} />
    </section>
  );
}
