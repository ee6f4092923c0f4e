import { useEffect, useState } from "preact/hooks";
import { follow } from "../service/event_stream";
import { nothingYet, type Training, withEvent } from "./progress";

// A training from its beginning, as it goes on. What was told before arrives in thousands of events: they are shown
// together.
export function useTraining(id: string): {
  training: Training;
  heard: boolean;
  error: Error | null;
  away: boolean;
} {
  const [training, setTraining] = useState(nothingYet);
  const [heard, setHeard] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [away, setAway] = useState(false);
  useEffect(() => {
    const aborter = new AbortController();
    let now = nothingYet;
    let frame = 0;
    const show = () => {
      frame = 0;
      setTraining(now);
      setHeard(true);
    };
    const take = (event: { event: string; data: string }) => {
      now = withEvent(now, event.event, JSON.parse(event.data));
      frame ||= requestAnimationFrame(show);
    };
    follow(`/v1/trainings/${id}/events`, aborter.signal, take, setAway).catch(
      (problem) => !aborter.signal.aborted && setError(problem),
    );
    return () => {
      aborter.abort();
      cancelAnimationFrame(frame);
    };
  }, [id]);
  return { training, heard, error, away };
}
