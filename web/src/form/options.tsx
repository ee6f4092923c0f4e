import { useState } from "preact/hooks";
import type { Model } from "../service/types";
import { graphOf, type Part, partOf, type Question, trainOf } from "./question";

type Props = { question: Question; model: Model; change: (changes: Partial<Question>) => void };

type Choices = Record<string, string>; // by the words of the service

const graphs: Choices = { real: "true differentiation", released: "as the paper's code had it" };
const optimisers: Choices = {
  sgd: "SGD",
  momentum: "SGD with momentum",
  nesterov: "Nesterov's momentum",
  adam: "Adam",
  adamw: "AdamW",
};
const parts: Choices = {
  all: "everything",
  "last:": "the last layers",
  encoder: "all but embeddings",
  bias: "biases",
  norm: "norms",
  "regex:": "names with a pattern",
  "except:": "all but names with a pattern",
};
const losses: Choices = {
  "cross-entropy": "cross-entropy",
  "mean-squared-error": "mean squared error",
  "binary-cross-entropy": "binary cross-entropy",
  none: "the network's output",
};
const updates: Choices = {
  auto: "what costs least of what is tried",
  separate: "of whole gradients",
  sliced: "by slices",
};

const cuts: Choices = {
  auto: "what costs least of what is tried",
  whole: "as a whole",
  level: "in parts of at most",
};

// What is typed stands until the field is left, whatever else changes meanwhile.
function Text(props: {
  label: string;
  id?: string | undefined;
  value: string;
  placeholder: string;
  change: (value: string) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <label class="field">
      <span>{props.label}</span>
      <input
        type="text"
        id={props.id}
        placeholder={props.placeholder}
        value={typed ?? props.value}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => {
          setTyped(null);
          props.change(event.currentTarget.value.trim());
        }}
      />
    </label>
  );
}

function Whole(props: {
  label: string;
  id?: string | undefined;
  value: number;
  most: number;
  change: (value: number) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <label class="field">
      <span>{props.label}</span>
      <input
        type="number"
        id={props.id}
        min={1}
        max={props.most}
        value={typed ?? props.value}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => {
          const value = Math.round(Number(event.currentTarget.value));
          setTyped(null);
          props.change(Number.isFinite(value) ? Math.min(Math.max(value, 1), props.most) : 1);
        }}
      />
    </label>
  );
}

function Choice(props: {
  label: string;
  id?: string | undefined;
  value: string;
  of: Choices;
  change: (value: string) => void;
}) {
  return (
    <label class="field">
      <span>{props.label}</span>
      <select id={props.id} value={props.value} onChange={(event) => props.change(event.currentTarget.value)}>
        {Object.entries(props.of).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

// What is trained; the last layers and a pattern say more in a field of their own.
function TrainedPart({ train, change }: { train: string; change: (train: string) => void }) {
  const part = partOf(train);
  const changePart = (changes: Partial<Part>) => change(trainOf({ ...part, ...changes }));
  return (
    <>
      <Choice
        label="What is trained"
        id="part"
        value={part.choice}
        of={parts}
        change={(choice) => changePart({ choice, detail: "" })}
      />
      {part.choice === "last:" && (
        <Whole
          label="How many layers"
          id="part-count"
          value={Number(part.detail) || 1}
          most={10_000}
          change={(count) => changePart({ detail: String(count) })}
        />
      )}
      {(part.choice === "regex:" || part.choice === "except:") && (
        <Text
          label={part.choice === "regex:" ? "Pattern in their names" : "Pattern in names that are left out"}
          id="part-pattern"
          placeholder="^layer4"
          value={part.detail}
          change={(detail) => changePart({ detail })}
        />
      )}
    </>
  );
}

// How large operations may be: "64KiB" is a level, the largest that one of them may need.
function Cut({ parts, change }: { parts: string; change: (parts: string) => void }) {
  const choice = parts === "whole" || parts === "auto" || parts === "" ? parts || "auto" : "level";
  return (
    <>
      <Choice
        label="Operations"
        id="cut"
        value={choice}
        of={cuts}
        change={(how) => change(how === "level" ? "64KiB" : how)}
      />
      {choice === "level" && (
        <Text label="What one may need" id="cut-level" placeholder="64KiB" value={parts} change={change} />
      )}
    </>
  );
}

// How a step updates its weights: what a released graph has nothing of.
function Training({ question, change }: Pick<Props, "question" | "change">) {
  const set = (changes: Partial<Question>) => change({ ...changes, budgetBytes: null });
  return (
    <>
      <Choice
        label="Optimiser"
        value={question.optimiser || "sgd"}
        of={optimisers}
        change={(optimiser) => set({ optimiser })}
      />
      <Choice
        label="Updates of weights"
        id="updates"
        value={question.updates || "auto"}
        of={updates}
        change={(how) => set({ updates: how })}
      />
      <Cut parts={question.parts} change={(parts) => set({ parts })} />
      <TrainedPart train={question.train} change={(train) => set({ train })} />
      <Choice
        label="Loss"
        id="loss"
        value={question.loss || "cross-entropy"}
        of={losses}
        change={(loss) => set({ loss })}
      />
    </>
  );
}

export function Options({ question, model, change }: Props) {
  const graph = graphOf(question, model);
  return (
    <div class="options">
      <label class="check">
        <input
          type="checkbox"
          checked={question.remat}
          onChange={(event) => change({ remat: event.currentTarget.checked })}
        />
        <span>
          Recompute <small>throw results away and compute them again</small>
        </span>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={question.paging}
          onChange={(event) => change({ paging: event.currentTarget.checked })}
        />
        <span>
          Page <small>move tensors to storage and back</small>
        </span>
      </label>
      <div class="fields">
        <Whole
          label="Batch size"
          value={question.batchSize}
          most={4096}
          change={(batchSize) => change({ batchSize, budgetBytes: null })}
        />
        {graph === "real" && <Training question={question} change={change} />}
        {model.graphs.length > 1 && (
          <Choice label="Graph" value={graph} of={graphs} change={(one) => change({ graph: one, budgetBytes: null })} />
        )}
        {model.dimensions && model.dimensions.length > 0 && (
          <Text
            label={`Open extents (${model.dimensions.join(", ")})`}
            placeholder={`${model.dimensions[0]}=128`}
            value={question.dimensions}
            change={(dimensions) => change({ dimensions, budgetBytes: null })}
          />
        )}
        <Whole
          label="Search at most (s)"
          value={question.timeLimitS}
          most={3600}
          change={(timeLimitS) => change({ timeLimitS })}
        />
      </div>
    </div>
  );
}
