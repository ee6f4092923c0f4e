import { useEffect, useState } from "preact/hooks";
import { call, getJson } from "../service/call";
import { follow } from "../service/event_stream";
import type { Job, Progress } from "../service/types";
import { type Closing, nothingYet, withProgress } from "./closing";

export type Followed<Result> = {
  job: Job<Result> | null;
  closing: Closing;
  points: Progress | null; // of a curve: how many are done
  error: Error | null;
  away: boolean; // nobody answers: what is here is the last that was heard
  cancel: () => void;
};

const ended = (state: string) => state === "done" || state === "failed" || state === "cancelled";

// A job and how its search went, from its beginning, also when it ended long ago.
export function useJob<Result>(id: string | null): Followed<Result> {
  const [job, setJob] = useState<Job<Result> | null>(null);
  const [closing, setClosing] = useState(nothingYet);
  const [points, setPoints] = useState<Progress | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [away, setAway] = useState(false);
  useEffect(() => {
    if (id === null) return;
    const aborter = new AbortController();
    const take = (event: { event: string; data: string }) => {
      const data = JSON.parse(event.data);
      if (event.event === "progress") {
        setClosing((before) => withProgress(before, data as Progress));
        setPoints(data as Progress);
      }
      if (event.event === "done") setJob(data as Job<Result>);
      if (event.event === "state") setJob((old) => (old && !ended(old.state) ? { ...old, ...data } : old));
    };
    const run = async () => {
      setClosing(nothingYet);
      setJob(await getJson<Job<Result>>(`/v1/plans/${id}`, aborter.signal));
      await follow(`/v1/plans/${id}/events`, aborter.signal, take, setAway);
    };
    run().catch((problem) => !aborter.signal.aborted && setError(problem));
    return () => aborter.abort();
  }, [id]);
  // No event says that others in the queue have come and gone.
  const waits = job?.state === "queued";
  useEffect(() => {
    if (!waits) return;
    const aborter = new AbortController();
    const look = () =>
      getJson<Job<Result>>(`/v1/plans/${id}`, aborter.signal)
        .then((now) => setJob((old) => (old?.state === "queued" ? now : old)))
        .catch(() => {}); // the stream of events says what is wrong
    const timer = setInterval(look, 2000);
    return () => {
      clearInterval(timer);
      aborter.abort();
    };
  }, [id, waits]);
  const cancel = () => {
    call(`/v1/plans/${id}`, { method: "DELETE" }).catch(setError);
  };
  return { job, closing, points, error, away, cancel };
}
