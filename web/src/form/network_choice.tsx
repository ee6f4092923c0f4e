import { useEffect, useRef, useState } from "preact/hooks";
import { upload } from "../service/call";
import type { Model } from "../service/types";
import { sizeFigure } from "../text/figures";
import { Breakable } from "../text/name";

type Props = { models: Model[]; chosen: string; choose: (id: string) => void; add: (model: Model) => void };

function matches(model: Model, words: string): boolean {
  const text = `${model.name} ${model.what}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function DropZone({ add }: { add: (model: Model) => void }) {
  const [over, setOver] = useState(false);
  const [state, setState] = useState<{ busy?: string; error?: string; done?: string }>({});
  const take = async (file: File | undefined) => {
    if (!file) return;
    setState({ busy: file.name });
    try {
      const model = await upload<Model>(file);
      setState({ done: `${model.name} was read: ${model.what}` });
      add(model);
    } catch (error) {
      setState({ error: (error as Error).message });
    }
  };
  return (
    <section
      aria-label="Your own network"
      class={`drop ${over ? "over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files[0]);
      }}
    >
      <label>
        <input
          class="hidden"
          type="file"
          accept=".onnx"
          id="onnx-file"
          onChange={(event) => {
            take(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
        <span class="drop-text">
          <strong>Your own: drop an ONNX file</strong> or <span class="link">choose one</span>
        </span>
      </label>
      <p class="small" role="status">
        {state.busy && `Reading ${state.busy} …`}
        {state.done}
      </p>
      {state.error && (
        <div class="trouble" role="alert">
          <p>{state.error}</p>
        </div>
      )}
    </section>
  );
}

export function NetworkChoice({ models, chosen, choose, add }: Props) {
  const [words, setWords] = useState("");
  const list = useRef<HTMLDivElement>(null);
  // The chosen one is seen, without moving the page.
  useEffect(() => {
    const row = list.current?.querySelector<HTMLElement>("label:has(:checked)");
    if (row && list.current) list.current.scrollTop = row.offsetTop - list.current.offsetTop - 60;
  }, [models]);
  const shown = models.filter((model) => model.id === chosen || matches(model, words));
  return (
    <section class="card">
      <header>
        <h2>Network</h2>
        <input
          type="search"
          placeholder={`Search ${models.length}`}
          aria-label="Search networks"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </header>
      <div class="choices" ref={list} role="radiogroup" aria-label="Network">
        {shown.map((model) => (
          <label class="choice" key={model.id}>
            <input type="radio" name="model" checked={model.id === chosen} onChange={() => choose(model.id)} />
            <span>
              <strong>
                <Breakable text={model.name} />
              </strong>
              {model.kind === "onnx" && <em class="tag">uploaded</em>}
              <small>
                {model.what}
                {model.size_bytes ? `, ${sizeFigure(model.size_bytes)}` : ""}
              </small>
            </span>
          </label>
        ))}
      </div>
      <DropZone add={add} />
    </section>
  );
}
