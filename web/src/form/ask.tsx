import { useEffect, useState } from "preact/hooks";
import { Loading, Trouble, useLoaded } from "../parts/loaded";
import { RecentPlans } from "../plans/plans";
import { getJson, postJson } from "../service/call";
import type { Device, Job, Model, ModelSize } from "../service/types";
import { counted, countFigure, timeFigure } from "../text/figures";
import { Breakable } from "../text/name";
import { pageWords } from "../text/page_words";
import { DeviceChoice } from "./device_choice";
import { Limits } from "./limits";
import { NetworkChoice } from "./network_choice";
import { Options } from "./options";
import { type Question, questionOf, requestOf, sizeQuery } from "./question";

// The network that the form begins with, where it exists.
const firstModel = "resnet8";

function lists(signal: AbortSignal) {
  return Promise.all([
    getJson<{ models: Model[] }>("/v1/models", signal),
    getJson<{ devices: Device[] }>("/v1/devices", signal),
  ]);
}

// Sizes follow the form after a moment's rest, so that typing asks once.
async function sizeOf(question: Question, model: Model | undefined, signal: AbortSignal): Promise<ModelSize | null> {
  if (!model) return null;
  await new Promise((done) => setTimeout(done, 150));
  if (signal.aborted) return null;
  return getJson<ModelSize>(`/v1/models/${encodeURIComponent(model.id)}?${sizeQuery(question, model)}`, signal);
}

function SizeFacts({ size }: { size: ModelSize }) {
  const parameters = size.parameters === null ? "" : `, ${counted(size.parameters, "parameter")}`;
  return (
    <p class="soft small">
      {countFigure(size.operations)} operations ({countFigure(size.forward_operations)} forward,{" "}
      {countFigure(size.backward_operations)} backward), {counted(size.tensors, "tensor")}
      {parameters}. Computing each once takes {timeFigure(size.compute_s)} on {size.platform}.
    </p>
  );
}

function Solve(props: { question: Question; model: Model; size: ModelSize; device: Device; held: boolean }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const solve = async () => {
    setBusy(true);
    setError(null);
    try {
      const job = await postJson<Job>("/v1/plans", requestOf(props.question, props.model, props.size, props.device));
      location.hash = `#/plans/${job.id}`;
    } catch (problem) {
      setError(problem as Error);
      setBusy(false);
    }
  };
  return (
    <div class="solve">
      <button type="button" class="primary wide" id="solve" disabled={busy || props.held} onClick={solve}>
        {busy ? "Asking …" : "Find the plan"}
      </button>
      {error && <Trouble error={error} />}
    </div>
  );
}

function Form(props: { models: Model[]; devices: Device[]; asked: Record<string, string> }) {
  const [models, setModels] = useState(props.models);
  const [question, setQuestion] = useState(() => {
    const asked = questionOf(props.asked);
    const known = (id: string) => props.models.some((model) => model.id === id);
    return { ...asked, model: asked.model || (known(firstModel) ? firstModel : (props.models[0]?.id ?? "")) };
  });
  const change = (changes: Partial<Question>) => setQuestion((old) => ({ ...old, ...changes }));
  const model = models.find((one) => one.id === question.model);
  const device = props.devices.find((one) => one.name === question.platform);
  const query = model ? `${model.id}?${sizeQuery(question, model)}` : "";
  const size = useLoaded((signal) => sizeOf(question, model, signal), [query]);
  const [held, hold] = useState(false);
  // Of another question: not to be asked about.
  const [sizedQuery, setSizedQuery] = useState("");
  useEffect(() => {
    if (size.state === "ready") setSizedQuery(query);
  }, [size]);
  return (
    <div class="ask">
      <div>
        <NetworkChoice
          models={models}
          chosen={question.model}
          choose={(id) => change({ model: id, budgetBytes: null, dimensions: "" })}
          add={(added) => {
            setModels((old) => [added, ...old.filter((one) => one.id !== added.id)]);
            change({ model: added.id, budgetBytes: null, dimensions: "" });
          }}
        />
        <DeviceChoice
          devices={props.devices}
          chosen={question.platform}
          choose={(platform) => change({ platform, budgetBytes: null })}
        />
      </div>
      <section class="card ask-limits" aria-labelledby="limits-title">
        <header>
          <h2 id="limits-title">
            <Breakable text={model?.name ?? "No network"} /> <span class="soft">on {question.platform}</span>
          </h2>
        </header>
        {!device && <Trouble error={new Error(`There is no device ${question.platform} here.`)} />}
        {question.model && !model && <Trouble error={new Error("This network is not known here any more.")} />}
        {size.state === "loading" && model && <Loading what="Looking at how large a step is …" />}
        {size.state === "error" && <Trouble error={size.error} />}
        {size.state === "ready" && size.value && model && device && (
          <>
            <SizeFacts size={size.value} />
            <Limits question={question} size={size.value} device={device} change={change} hold={hold} />
          </>
        )}
        {model && <Options question={question} model={model} change={change} />}
        {size.state === "ready" && size.value && model && device && (
          <>
            {size.value.warnings.map(pageWords).map((one) => (
              <p class="notice mild small" key={one}>
                {one}
              </p>
            ))}
            {sizedQuery === query && (
              <Solve question={question} model={model} size={size.value} device={device} held={held} />
            )}
          </>
        )}
      </section>
    </div>
  );
}

export function Ask({ asked }: { asked: Record<string, string> }) {
  const loaded = useLoaded(lists, []);
  return (
    <>
      <h1>Train in the memory that a device has</h1>
      <p class="lead">
        Choose a network, a board and how much RAM a training step may take. POET finds what to keep, what to compute
        again and what to move to storage, with the least energy, and says how far from the best possible that is at
        most.
      </p>
      {loaded.state === "loading" && <Loading what="Asking the service what it has …" />}
      {loaded.state === "error" && <Trouble error={loaded.error} />}
      {loaded.state === "ready" && (
        <Form models={loaded.value[0].models} devices={loaded.value[1].devices} asked={asked} />
      )}
      <RecentPlans />
    </>
  );
}
