import { useState } from "preact/hooks";
import { agoFigure } from "../text/figures";
import type { Followed } from "./follow_job";
import { waitingText } from "./waiting";

export function CancelButton({ text, cancel, away }: { text: string; cancel: () => void; away: boolean }) {
  const [asked, setAsked] = useState(false);
  return (
    <button
      type="button"
      id="cancel"
      disabled={asked || away}
      onClick={() => {
        setAsked(true);
        cancel();
      }}
    >
      {asked ? "Cancelling …" : text}
    </button>
  );
}

export function Waiting({ followed }: { followed: Followed<unknown> }) {
  const { job, cancel, away } = followed;
  if (!job) return null;
  return (
    <section class="card waiting">
      <header>
        <h2>It waits for its turn</h2>
        <CancelButton text="Cancel" cancel={cancel} away={away} />
      </header>
      <p id="why-it-waits">{waitingText(job)}</p>
      <p class="small soft">
        {job.created_at ? `Asked ${agoFigure(job.created_at, Date.now())}. ` : ""}
        {job.kind === "curve" ? (
          "This page can be closed meanwhile: the comparison is kept under this address."
        ) : (
          <>
            This page can be closed meanwhile: the plan is kept under <a href="#/plans">Plans</a>, where you also see
            what runs.
          </>
        )}
      </p>
    </section>
  );
}
