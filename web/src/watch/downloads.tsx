import { useState } from "preact/hooks";
import { boardBytes } from "../form/question";
import { fetchFile, token } from "../service/call";
import type { Device, Job } from "../service/types";
import { sizeFigure } from "../text/figures";
import { isBeyond } from "./verdict_text";

type Offer = { path: string; name: string; title: string; what: string };

// What a board cannot hold is planned again for its project.
function projectText(job: Job, device: Device | undefined): string {
  if (!device || !isBeyond(job.request.graph, job.result?.peak_ram_bytes, device))
    return "the training without allocation, for the board";
  return `the training for the board, planned again in the ${sizeFigure(boardBytes("real", device))} that it can give`;
}

const offers: Offer[] = [
  { path: "plan", name: "plan.json", title: "Plan", what: "for poet verify, poet explain and programs" },
  { path: "report", name: "report.html", title: "Report", what: "one page with every picture, to keep" },
  { path: "project", name: "project.zip", title: "C project", what: "" },
  {
    path: "explain",
    name: "explain.json",
    title: "Explanation",
    what: "why each tensor is away, what more RAM would save",
  },
];

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function Download({ id, offer }: { id: string; offer: Offer }) {
  const [state, setState] = useState<{ busy?: boolean; error?: string }>({});
  const path = `/v1/plans/${id}/${offer.path}`;
  const fetchIt = async () => {
    setState({ busy: true });
    try {
      save(await fetchFile(path), `poet-${id.slice(0, 8)}-${offer.name}`);
      setState({});
    } catch (error) {
      setState({ error: (error as Error).message });
    }
  };
  return (
    <li>
      <button type="button" onClick={fetchIt} disabled={state.busy ?? false} id={`download-${offer.path}`}>
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <path class="icon" d="M8 2v8m0 0 3.2-3.2M8 10 4.8 6.8M2.5 13.5h11" />
        </svg>
        {state.busy ? "Making it …" : offer.title}
      </button>
      <span class="small soft">{offer.what}</span>
      {offer.path === "report" && !token() && (
        <a class="small" href={path} target="_blank" rel="noopener">
          look at it
        </a>
      )}
      {state.error && (
        <p class="trouble small" role="alert">
          {state.error}
        </p>
      )}
    </li>
  );
}

export function Downloads({ job, device }: { job: Job; device: Device | undefined }) {
  const there = offers
    .filter((offer) => job.files.includes(offer.path))
    .map((offer) => (offer.path === "project" ? { ...offer, what: projectText(job, device) } : offer));
  if (there.length === 0) return null;
  return (
    <section class="card">
      <header>
        <h2>Take it with you</h2>
      </header>
      <ul class="downloads">
        {there.map((offer) => (
          <Download key={offer.path} id={job.id} offer={offer} />
        ))}
      </ul>
    </section>
  );
}
