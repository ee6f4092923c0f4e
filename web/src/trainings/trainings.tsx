import { useEffect, useState } from "preact/hooks";
import { Loading, Trouble } from "../parts/loaded";
import { getJson } from "../service/call";
import { agoFigure, countFigure, leftFigure, shortNumber } from "../text/figures";
import { Breakable } from "../text/name";
import type { State } from "./progress";

type Listed = {
  id: string;
  name: string;
  state: State;
  model: string | null;
  at: string | null;
  changed_at: string;
  step: number | null;
  steps: number | null;
  loss: number | null;
  remaining_s: number | null;
  saved_step: number | null;
};

type List = { shown: boolean; trainings: Listed[] };

export const tones: Record<State, string> = {
  planning: "unknown",
  training: "found",
  ended: "best",
  stopped: "unknown",
  failed: "no",
  died: "no",
};

export const lossFigure = (loss: number) => shortNumber(loss, Math.abs(loss) < 0.01 ? 6 : 4);

function howFar(one: Listed): string {
  if (one.step === null) return "";
  const parts = [`step ${countFigure(one.step)}${one.steps === null ? "" : ` of ${countFigure(one.steps)}`}`];
  if (one.loss !== null) parts.push(`loss ${lossFigure(one.loss)}`);
  return parts.join(", ");
}

function Row({ one, now }: { one: Listed; now: number }) {
  const left = one.state === "training" && one.remaining_s !== null;
  return (
    <li>
      <a href={`#/trainings/${one.id}`}>
        <span class="plan-name">
          <strong>
            <Breakable text={one.model ?? "a network"} />
          </strong>
          <small class="plan-asked">
            <Breakable text={one.name} />
          </small>
        </span>
        <span class={`chip ${tones[one.state] ?? "unknown"}`}>{one.state}</span>
        <span class="plan-figures small">{howFar(one)}</span>
        <span class="small soft plan-when">
          {left ? `${leftFigure(one.remaining_s ?? 0)} left` : agoFigure(one.changed_at, now)}
        </span>
      </a>
    </li>
  );
}

function HowTo() {
  return (
    <p>
      A training tells how it goes with <code>poet train … --progress FOLDER/NAME.jsonl</code>, and this service shows
      what lies in a folder with <code>poet serve --trainings FOLDER</code>.
    </p>
  );
}

// Looks again every few seconds: which trainings there are is no stream.
function useList(): { list: List | null; error: Error | null } {
  const [list, setList] = useState<List | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    const aborter = new AbortController();
    const look = () =>
      getJson<List>("/v1/trainings", aborter.signal).then(
        (now) => {
          setList(now);
          setError(null);
        },
        (problem) => !aborter.signal.aborted && setError(problem),
      );
    look();
    const timer = setInterval(() => document.visibilityState === "visible" && look(), 3000);
    return () => {
      clearInterval(timer);
      aborter.abort();
    };
  }, []);
  return { list, error };
}

export function Trainings() {
  const { list, error } = useList();
  return (
    <>
      <h1>Trainings</h1>
      <p class="lead">What trains on this machine, or did, the newest first.</p>
      {error && <Trouble error={error} />}
      {!list && !error && <Loading what="Fetching the list …" />}
      {list && (
        <section class="card">
          {list.trainings.length > 0 ? (
            <ul class="plans">
              {list.trainings.map((one) => (
                <Row key={one.id} one={one} now={Date.now()} />
              ))}
            </ul>
          ) : (
            <>
              <p>{list.shown ? "No training has written its progress into the folder yet." : "None is shown."}</p>
              <HowTo />
            </>
          )}
        </section>
      )}
    </>
  );
}
