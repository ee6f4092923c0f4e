import { Fact } from "../parts/fact";
import { Away, Loading, Trouble } from "../parts/loaded";
import { counted, countFigure, leftFigure, shortNumber, sizeFigure, tickFigure, timeFigure } from "../text/figures";
import { Breakable } from "../text/name";
import { useTraining } from "./follow_training";
import { type State, stateOf, stepTime, type Training } from "./progress";
import { type Series, StepChart } from "./step_chart";
import { lossFigure, tones } from "./trainings";

const inWords: Record<State, string> = {
  planning: "It is looking for its plan",
  training: "It trains",
  ended: "It has ended",
  stopped: "It was stopped, and can be gone on with",
  failed: "It came to nothing",
  died: "It died: nobody runs it any more, and it said no end",
};

function rate(stepS: number): string {
  if (stepS < 0.1) return `${countFigure(1 / stepS)} steps/s`;
  return stepS < 1 ? `${shortNumber(1 / stepS, 1)} steps/s` : `${timeFigure(stepS)} a step`;
}

// A line ends between words, not behind the dashes of an option.
function Command({ text }: { text: string }) {
  return (
    <code>
      {text.split(" ").flatMap((word, at) => [
        at > 0 && " ",
        <span key={at} class="word">
          {word}
        </span>,
      ])}
    </code>
  );
}

function Verdict({ training, state }: { training: Training; state: State }) {
  const { last, plan, savedStep, bestStep, why } = training;
  const steps = last?.steps ?? plan?.steps ?? null;
  const done = last?.step ?? 0;
  const heldUp = training.running === null && (state === "planning" || state === "training");
  return (
    <section class={`card verdict ${tones[state]}`}>
      <header>
        <h2>{inWords[state]}</h2>
        <span class={`chip ${tones[state]}`} id="training-state">
          {state}
        </span>
      </header>
      {steps !== null && (
        <>
          <progress max={steps} value={done} aria-label="steps taken" />
          <p>
            Step {countFigure(done)} of {countFigure(steps)}
            {last?.epoch != null && `, epoch ${shortNumber(last.epoch, 2)}`}
            {state === "training" && last?.remaining_s != null && `; about ${leftFigure(last.remaining_s)} left`}.
          </p>
        </>
      )}
      {why && <p class="why">{why}</p>}
      {savedStep !== null && (
        <p class="small soft">
          Saved at step {countFigure(savedStep)}.
          {bestStep !== null && ` The best so far, of step ${countFigure(bestStep)}, is kept beside.`}
        </p>
      )}
      {heldUp && (
        <p class="small soft">Its file is where there are no locks, so that nobody can tell whether it still runs.</p>
      )}
      {training.gone && <p class="small soft">Its file is not there any more.</p>}
      {training.cut && <p class="small soft">The file is large: only its end is shown.</p>}
    </section>
  );
}

function Facts({ training }: { training: Training }) {
  const { plan, last } = training;
  const measured = stepTime(training);
  const predicted = plan?.predicted_step_s ?? null;
  const budget = last?.ram_budget_bytes ?? plan?.ram_budget_bytes ?? null;
  const arena = plan?.arena_bytes ?? null;
  const most = arena !== null && plan?.process_bytes != null ? arena + plan.process_bytes : null;
  const moved = plan ? (plan.step_read_bytes ?? 0) + (plan.step_written_bytes ?? 0) : null;
  return (
    <div class="facts of-training">
      {last?.loss != null && (
        <Fact name="Loss" value={lossFigure(last.loss)} more="of the last steps, before each update" />
      )}
      {measured !== null && (
        <Fact
          name="Speed"
          value={rate(measured)}
          more={
            predicted === null
              ? `${timeFigure(measured)} a step`
              : `${timeFigure(measured)} a step, ${shortNumber(measured / predicted, 2)} times the predicted ${timeFigure(predicted)}`
          }
        />
      )}
      {arena !== null && budget !== null && (
        <Fact
          name="RAM of the steps"
          value={sizeFigure(arena)}
          part={arena / Math.max(budget, arena)}
          more={`of the budget of ${sizeFigure(budget)}; keeping everything takes ${sizeFigure(plan?.plain_peak_bytes ?? 0)}`}
        />
      )}
      {last?.resident_bytes != null && (
        <Fact
          name="RAM of the process"
          value={sizeFigure(last.resident_bytes)}
          part={most === null ? undefined : last.resident_bytes / most}
          more={
            most === null
              ? `at most ${sizeFigure(last.peak_bytes ?? last.resident_bytes)} so far`
              : `at most ${sizeFigure(last.peak_bytes ?? last.resident_bytes)} so far; it may come to ${sizeFigure(most)}`
          }
        />
      )}
      {moved !== null && (
        <Fact
          name="Moved in a step"
          value={sizeFigure(moved)}
          more={
            last?.read_bytes == null
              ? "between RAM and storage, by the plan"
              : `so far ${sizeFigure(last.read_bytes)} read, ${sizeFigure(last.written_bytes ?? 0)} written`
          }
        />
      )}
      {plan?.recomputed_operations != null && (
        <Fact
          name="Computed again in a step"
          value={counted(plan.recomputed_operations, "operation")}
          more={
            plan.recomputed_operations > 0 ? "in place of keeping what they made" : "what they make is kept, or moved"
          }
        />
      )}
    </div>
  );
}

const finite = (value: number | null): value is number => value !== null && Number.isFinite(value);

function lossSeries(training: Training): Series[] {
  const points = training.points.flatMap(({ step, loss }) => (finite(loss) ? [{ step, value: loss }] : []));
  const tried = training.evaluations.flatMap(({ step, loss }) => (finite(loss) ? [{ step, value: loss }] : []));
  return [
    { name: "loss of the steps", look: "measured-key", form: "line", points },
    { name: "loss on the test data", look: "tried-key", form: "dots", points: tried },
  ];
}

// The first step finds caches cold and makes the pages of its memory: it would press all others down.
function timeSeries(training: Training): Series[] {
  const points = training.points.length > 2 ? training.points.slice(1) : training.points;
  const measured = points.flatMap(({ step, stepS }) => (finite(stepS) ? [{ step, value: stepS }] : []));
  const predicted = points.flatMap(({ step, predictedS }) => (finite(predictedS) ? [{ step, value: predictedS }] : []));
  return [
    { name: "predicted", look: "predicted-key", form: "steps", points: predicted },
    { name: "measured", look: "measured-key", form: "line", points: measured },
  ];
}

const lossTicks = (ticks: number[]) => {
  const places = Math.max(0, ...ticks.map((tick) => (String(tick).split(".")[1] ?? "").length));
  return (value: number) => (Math.abs(value) >= 1e6 ? value.toExponential(1) : shortNumber(value, Math.min(places, 8)));
};

function Charts({ training }: { training: Training }) {
  const count = training.points.length;
  if (count === 0) return null;
  const first = training.points[0];
  const last = training.points.at(-1);
  const loss = lossSeries(training);
  const summary = `Loss over ${counted(last?.step ?? 0, "step")}: ${lossFigure(first?.loss ?? 0)} at first, ${lossFigure(last?.loss ?? 0)} now. Arrow keys move from step to step.`;
  return (
    <>
      <section class="card">
        <h2>Loss</h2>
        <StepChart id="loss-chart" series={loss} figure={lossFigure} ticks={lossTicks} summary={summary} />
      </section>
      <section class="card">
        <h2>Time of a step</h2>
        <StepChart
          id="time-chart"
          series={timeSeries(training)}
          figure={timeFigure}
          ticks={(ticks) => tickFigure(ticks, "s")}
          least={0}
          summary="Seconds that a step takes, as predicted and as measured. Arrow keys move from step to step."
        />
      </section>
    </>
  );
}

const mostNews = 30;

function Happened({ training }: { training: Training }) {
  if (training.news.length === 0) return null;
  const newest = training.news.slice(-mostNews).reverse();
  return (
    <section class="card">
      <h2>What happened</h2>
      <ol class="news" reversed>
        {newest.map((one, at) => (
          <li key={training.news.length - at}>
            <span class="soft">{one.step === null ? "" : `step ${countFigure(one.step)}`}</span>
            <span>
              {one.what}
              {one.why && <small class="soft"> {one.why}</small>}
            </span>
          </li>
        ))}
      </ol>
      {training.news.length > mostNews && (
        <p class="small soft">And {countFigure(training.news.length - mostNews)} before.</p>
      )}
    </section>
  );
}

export function TrainingPage({ id }: { id: string }) {
  const { training, heard, error, away } = useTraining(id);
  if (error)
    return (
      <Trouble error={error}>
        <a href="#/trainings">All trainings</a>
      </Trouble>
    );
  if (!heard) return away ? <Away /> : <Loading what="Looking for this training …" />;
  const state = stateOf(training);
  return (
    <>
      <h1>
        <Breakable text={training.begin?.model ?? "A training"} />
      </h1>
      {training.begin?.command && (
        <p class="lead small">
          <Command text={training.begin.command} />
        </p>
      )}
      <p class="hidden" role="status" aria-live="polite">
        {inWords[state]}
      </p>
      {away && <Away />}
      <Verdict training={training} state={state} />
      <Facts training={training} />
      <Charts training={training} />
      <Happened training={training} />
      {training.plan?.planned_with && (
        <p class="small soft">Planned with the figures of {training.plan.planned_with}.</p>
      )}
    </>
  );
}
