import { useEffect, useRef, useState } from "preact/hooks";
import { Ask } from "./form/ask";
import { Plans } from "./plans/plans";
import { askedOf, type Route, routeOf, useHash } from "./route";
import { applyTheme, storedTheme, type Theme } from "./theme";
import { TracePage } from "./trace/trace_page";
import { TrainingPage } from "./trainings/training_page";
import { Trainings } from "./trainings/trainings";
import { PlanPage } from "./watch/plan_page";

const themes: Theme[] = ["system", "light", "dark"];

function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme());
  const choose = (next: Theme) => {
    setTheme(next);
    applyTheme(next);
  };
  return (
    <fieldset class="segments small">
      <legend class="hidden">Colours</legend>
      {themes.map((one) => (
        <label key={one}>
          <input type="radio" name="theme" checked={theme === one} onChange={() => choose(one)} />
          <span>{one === "system" ? "auto" : one}</span>
        </label>
      ))}
    </fieldset>
  );
}

const titles: Record<Route["place"], string> = {
  ask: "Plan a training step",
  plans: "Plans",
  plan: "Plan",
  trainings: "Trainings",
  training: "Training",
  trace: "Traces",
  nowhere: "No such page",
};

function Place({ route, hash }: { route: Route; hash: string }) {
  if (route.place === "ask") return <Ask key={hash} asked={askedOf(hash)} />;
  if (route.place === "plans") return <Plans />;
  if (route.place === "plan") return <PlanPage key={route.id} id={route.id} />;
  if (route.place === "trace") return <TracePage />;
  if (route.place === "trainings") return <Trainings />;
  if (route.place === "training") return <TrainingPage key={route.id} id={route.id} />;
  return (
    <section class="card">
      <h1>There is nothing here</h1>
      <p>
        This address is none of the page. <a href="#/">Ask for a plan</a> or look at <a href="#/plans">earlier ones</a>.
      </p>
    </section>
  );
}

export function App() {
  const hash = useHash();
  const route = routeOf(hash);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    document.title = `${titles[route.place]} · POET`;
    // A reader of the screen is taken to what is new; the first page is read from its top anyway.
    if (!first.current) main.current?.focus({ preventScroll: true });
    if (!first.current) scrollTo(0, 0);
    first.current = false;
  }, [hash]);
  const current = (place: Route["place"]) => (route.place === place ? { "aria-current": "page" as const } : {});
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <a class="mark" href="#/" aria-label="POET, ask for a plan">
          <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
            <path class="mark-steps" d="M3 27V18h5v-6h5V6h6v11h5v10z" />
            <path class="mark-line" d="M2 10h28" />
          </svg>
          POET
        </a>
        <nav aria-label="Pages">
          <a href="#/" {...current("ask")}>
            New plan
          </a>
          <a href="#/plans" {...current("plans")}>
            Plans
          </a>
          <a href="#/trainings" {...current("trainings")}>
            Trainings
          </a>
          <a href="#/trace" {...current("trace")}>
            Traces
          </a>
        </nav>
        <ThemeSwitch />
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Place route={route} hash={hash} />
      </main>
      <footer>
        <p>
          Every schedule is replayed by a verifier that shares no code with the solvers.{" "}
          <a href="./openapi.json">The service for programs</a> ·{" "}
          <a href="./notices.txt">licences of this page's parts</a>
        </p>
      </footer>
    </>
  );
}
