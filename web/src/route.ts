import { useEffect, useState } from "preact/hooks";

// The places of the page; what stands behind # can be shared and reloaded.
export type Route =
  | { place: "ask" | "plans" | "trainings" | "trace" | "nowhere" }
  | { place: "plan"; id: string }
  | { place: "training"; id: string };

export function routeOf(hash: string): Route {
  const path = hash.replace(/^#/, "").split("?")[0] ?? "";
  if (path === "" || path === "/") return { place: "ask" };
  if (path === "/plans") return { place: "plans" };
  if (path === "/trainings") return { place: "trainings" };
  if (path === "/trace") return { place: "trace" };
  const training = /^\/trainings\/([0-9a-f]{64})$/.exec(path);
  if (training?.[1]) return { place: "training", id: training[1] };
  const plan = /^\/plans\/([0-9a-f]{64})$/.exec(path);
  return plan?.[1] ? { place: "plan", id: plan[1] } : { place: "nowhere" };
}

// The fields that a link of the form hands over: "#/?ram_budget=1000".
export function askedOf(hash: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(hash.split("?")[1] ?? ""));
}

export function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return hash;
}
