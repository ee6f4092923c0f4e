import { useState } from "preact/hooks";
import type { ModelSize } from "../service/types";
import { countFigure, percentFigure, sizeFigure, timeFigure } from "../text/figures";
import { budgetOf, bytesAtWay, bytesOfText, type Question, wayOf } from "./question";

type Props = { question: Question; size: ModelSize; change: (changes: Partial<Question>) => void };

const steps = 1000;

// Where a mark stands along the slider, whose thumb keeps half its width from the ends.
function alongSlider(way: number): string {
  return `calc(10px + ${way} * (100% - 20px))`;
}

function DeviceMark({ size }: { size: ModelSize }) {
  const way = wayOf(size.device_ram_bytes, size);
  if (way < 0 || way > 1) return null;
  const side = way < 0.25 ? "left" : way > 0.75 ? "right" : "middle";
  return (
    <div class={`slider-mark ${side}`} style={{ left: alongSlider(way) }} aria-hidden="true">
      <span>device {sizeFigure(size.device_ram_bytes)}</span>
    </div>
  );
}

function deviceSentence(budget: number, size: ModelSize): string | null {
  if (size.device_ram_bytes < size.working_set_bytes)
    return `No schedule fits into the ${sizeFigure(size.device_ram_bytes)} of ${size.platform}: ${size.working_set_operation} alone needs ${sizeFigure(size.working_set_bytes)}. A larger budget can still be planned.`;
  if (budget > size.device_ram_bytes)
    return `That is more than the ${sizeFigure(size.device_ram_bytes)} that ${size.platform} has.`;
  if (size.device_ram_bytes >= size.plain_peak_bytes)
    return `${size.platform} has ${sizeFigure(size.device_ram_bytes)}: everything could be kept.`;
  return null;
}

function RamBudget({ question, size, change }: Props) {
  const [text, setText] = useState<string | null>(null);
  const budget = budgetOf(question, size);
  const way = wayOf(budget, size);
  const wrong = text !== null && bytesOfText(text, size) === null;
  const warning = deviceSentence(budget, size);
  return (
    <div class="limit">
      <div class="limit-head">
        <label for="budget">RAM budget</label>
        <output for="budget" class="big">
          {sizeFigure(budget)}
        </output>
      </div>
      <div class="slider">
        <input
          id="budget"
          type="range"
          min={0}
          max={steps}
          step={1}
          value={Math.round(Math.min(Math.max(way, 0), 1) * steps)}
          aria-valuetext={`${sizeFigure(budget)}, ${percentFigure(way)} of the way`}
          onInput={(event) => {
            setText(null);
            change({ budgetBytes: bytesAtWay(Number(event.currentTarget.value) / steps, size) });
          }}
        />
        <DeviceMark size={size} />
      </div>
      <div class="slider-ends small soft">
        <span>
          {sizeFigure(size.working_set_bytes)}
          <br />
          the least there can be
        </span>
        <span>
          {sizeFigure(size.plain_peak_bytes)}
          <br />
          keeps everything
        </span>
      </div>
      <div class="row small">
        <label for="budget-text">exactly</label>
        <input
          id="budget-text"
          type="text"
          size={12}
          aria-invalid={wrong}
          aria-describedby="budget-help"
          value={text ?? String(budget)}
          onInput={(event) => {
            const value = event.currentTarget.value;
            setText(value);
            const bytes = bytesOfText(value, size);
            if (bytes !== null) change({ budgetBytes: bytes });
          }}
          onBlur={() => setText(null)}
        />
        <span id="budget-help" class="soft">
          {wrong
            ? "not a size: 737719, 720KiB, 60% or 30%way"
            : `${countFigure(budget)} bytes, ${percentFigure(way)} of the way`}
        </span>
      </div>
      {warning && <p class="notice mild small">{warning}</p>}
    </div>
  );
}

function Deadline({ question, size, change }: Props) {
  const ratio = question.deadlineRatio;
  return (
    <div class="limit">
      <div class="limit-head">
        <label for="deadline">Deadline</label>
        <output for="deadline" class="big">
          {ratio === null ? "none" : timeFigure(ratio * size.compute_s)}
        </output>
      </div>
      <div class="row">
        <label class="check small">
          <input
            type="checkbox"
            checked={ratio !== null}
            onChange={(event) => change({ deadlineRatio: event.currentTarget.checked ? 1.5 : null })}
          />
          A step must end in time
        </label>
      </div>
      <div class="slider">
        <input
          id="deadline"
          type="range"
          min={1}
          max={3}
          step={0.05}
          disabled={ratio === null}
          value={ratio ?? 1.5}
          aria-valuetext={ratio === null ? "none" : `${ratio} times computing everything once`}
          onInput={(event) => change({ deadlineRatio: Number(event.currentTarget.value) })}
        />
      </div>
      <p class="small soft">
        {ratio === null
          ? `Computing everything once takes ${timeFigure(size.compute_s)}.`
          : `${ratio} times the ${timeFigure(size.compute_s)} of computing everything once.`}
      </p>
    </div>
  );
}

export function Limits(props: Props) {
  return (
    <div class="limits">
      <RamBudget {...props} />
      <Deadline {...props} />
    </div>
  );
}
