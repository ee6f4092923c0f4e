import { useEffect, useRef, useState } from "preact/hooks";
import type { Device, ModelSize } from "../service/types";
import { counted, sizeFigure, timeFigure } from "../text/figures";
import { deviceSentence, wayText } from "./budget_sentence";
import {
  alongOf,
  boardBytes,
  budgetOf,
  bytesAlong,
  bytesOfText,
  leastOf,
  mayBeCut,
  type Question,
  rangeOf,
} from "./question";

type Props = {
  question: Question;
  size: ModelSize;
  device: Device;
  change: (changes: Partial<Question>) => void;
  hold: (held: boolean) => void; // nothing can be asked while a field says nothing
};

const steps = 1000;

// Where a mark stands along the slider, whose thumb keeps half its width from the ends.
function alongSlider(part: number): string {
  return `calc(10px + ${part} * (100% - 20px))`;
}

function DeviceMark({ question, size, device }: Pick<Props, "question" | "size" | "device">) {
  const bytes = boardBytes(size.graph, device);
  const range = rangeOf(question, size, device);
  if (bytes < range.least || bytes > range.most) return null;
  const part = alongOf(bytes, range);
  const side = part < 0.25 ? "left" : part > 0.75 ? "right" : "middle";
  return (
    <div class={`slider-mark ${side}`} style={{ left: alongSlider(part) }} aria-hidden="true">
      <span>
        {device.name} holds {sizeFigure(bytes)}
      </span>
    </div>
  );
}

// What the lower end of the slider is.
function leastText(question: Question, least: number, size: ModelSize): string {
  if (least < leastOf(size)) return "with operations in parts";
  if (!mayBeCut(question, size)) return "the least there can be";
  return question.parts === "" || question.parts === "auto"
    ? "the least for whole operations"
    : "the least in such parts";
}

function RamBudget({ question, size, device, change, hold }: Props) {
  const [text, setText] = useState<string | null>(null);
  const budget = budgetOf(question, size, device);
  const range = rangeOf(question, size, device);
  const part = alongOf(budget, range);
  const wrong = text !== null && bytesOfText(text, size) === null;
  // What is no size stays to be mended, and meanwhile the budget is the one from before the typing, not that of a part
  // of the text: "1" of "1e30".
  const before = useRef(question.budgetBytes);
  useEffect(() => {
    hold(wrong);
    return () => hold(false);
  }, [wrong]);
  useEffect(() => setText(null), [size, device]);
  const said = deviceSentence(question, budget, size, device);
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
          value={Math.round(Math.min(Math.max(part, 0), 1) * steps)}
          aria-valuetext={`${sizeFigure(budget)}, ${wayText(question, budget, size)}`}
          onInput={(event) => {
            setText(null);
            change({ budgetBytes: bytesAlong(Number(event.currentTarget.value) / steps, range) });
          }}
        />
        <DeviceMark question={question} size={size} device={device} />
      </div>
      <div class="slider-ends small soft">
        <span>
          {sizeFigure(range.least)}
          <br />
          {leastText(question, range.least, size)}
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
            if (text === null) before.current = question.budgetBytes;
            change({ budgetBytes: bytesOfText(value, size) ?? before.current });
          }}
          onBlur={() => !wrong && setText(null)}
        />
        <span id="budget-help" class="soft">
          {wrong
            ? "not a size: 737719, 720KiB, 60% or 30%way"
            : `${counted(budget, "byte")}, ${wayText(question, budget, size)}`}
        </span>
      </div>
      {said && <p class={`notice small ${said.warns ? "warn" : "mild"}`}>{said.text}</p>}
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
          max={Math.max(3, Math.ceil(ratio ?? 0))}
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
