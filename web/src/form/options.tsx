import type { Model } from "../service/types";
import { graphOf, type Question } from "./question";

type Props = { question: Question; model: Model; change: (changes: Partial<Question>) => void };

const optimisers = ["sgd", "momentum", "nesterov", "adam", "adamw"];

function Whole(props: { label: string; value: number; most: number; change: (value: number) => void }) {
  return (
    <label class="field">
      <span>{props.label}</span>
      <input
        type="number"
        min={1}
        max={props.most}
        value={props.value}
        onChange={(event) => {
          const value = Math.round(Number(event.currentTarget.value));
          props.change(Number.isFinite(value) ? Math.min(Math.max(value, 1), props.most) : 1);
        }}
      />
    </label>
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
        {graph === "real" && (
          <label class="field">
            <span>Optimiser</span>
            <select
              value={question.optimiser || "sgd"}
              onChange={(event) => change({ optimiser: event.currentTarget.value, budgetBytes: null })}
            >
              {optimisers.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
        {model.graphs.length > 1 && (
          <label class="field">
            <span>Graph</span>
            <select value={graph} onChange={(event) => change({ graph: event.currentTarget.value, budgetBytes: null })}>
              {model.graphs.map((one) => (
                <option key={one} value={one}>
                  {one === "real" ? "real: true differentiation" : "released: as the paper's code had it"}
                </option>
              ))}
            </select>
          </label>
        )}
        {model.dimensions && model.dimensions.length > 0 && (
          <label class="field">
            <span>Open extents ({model.dimensions.join(", ")})</span>
            <input
              type="text"
              placeholder={`${model.dimensions[0]}=128`}
              value={question.dimensions}
              onChange={(event) => change({ dimensions: event.currentTarget.value.trim(), budgetBytes: null })}
            />
          </label>
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
