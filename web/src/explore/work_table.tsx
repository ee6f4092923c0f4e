import { useMemo, useState } from "preact/hooks";
import { countFigure, energyFigure, sizeFigure, timeFigure } from "../text/figures";
import { Breakable } from "../text/name";
import { type Extra, kinds, kindWords, type Step, tensorName } from "./step";

type Props = { step: Step; show: (tensor: number, stage: number) => void };

const columns = [
  { title: "Operation or tensor", key: (step: Step, one: Extra) => nameOf(step, one) },
  { title: "What", key: (_: Step, one: Extra) => one.kind },
  { title: "Times", key: (_: Step, one: Extra) => one.count },
  { title: "Size", key: (_: Step, one: Extra) => one.bytes },
  { title: "Energy", key: (_: Step, one: Extra) => one.joules },
  { title: "Time", key: (_: Step, one: Extra) => one.seconds },
];
const mostRows = 200;

function nameOf(step: Step, one: Extra): string {
  return one.kind <= 1 ? (step.operations[one.index]?.[0] ?? "") : tensorName(step, one.index);
}

// The tensor that a row is about: of an operation, the first that it makes.
function tensorOfExtra(step: Step, one: Extra): number {
  if (one.kind > 1) return one.index;
  return step.columns.find((tensor) => step.tensors[tensor]?.[3] === one.index) ?? 0;
}

function Row({ step, one, show }: { step: Step; one: Extra; show: Props["show"] }) {
  const tensor = tensorOfExtra(step, one);
  const why = step.absences.find((absence) => absence.tensor === tensor)?.why;
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          class="quiet"
          title="Show it in the schedule"
          onClick={() => show(tensor, one.stages[0] ?? 0)}
        >
          <Breakable text={nameOf(step, one)} />
        </button>
        {why && (
          <details>
            <summary>why</summary>
            <p class="why">
              <Breakable text={why.trim()} />
            </p>
          </details>
        )}
      </th>
      <td>
        <span class={`work ${kinds[one.kind]}`}>{kindWords[one.kind]}</span>
      </td>
      <td class="number">{countFigure(one.count)}</td>
      <td class="number">{sizeFigure(one.bytes)}</td>
      <td class="number">{energyFigure(one.joules)}</td>
      <td class="number">{timeFigure(one.seconds)}</td>
    </tr>
  );
}

export function WorkTable({ step, show }: Props) {
  const [by, setBy] = useState({ column: 4, falling: true });
  const sorted = useMemo(() => {
    const key = columns[by.column]?.key ?? (() => 0);
    const rows = [...step.extra].sort((a, b) => {
      const [x, y] = [key(step, a), key(step, b)];
      return x < y ? -1 : x > y ? 1 : 0;
    });
    return by.falling ? rows.reverse() : rows;
  }, [step, by]);
  if (sorted.length === 0)
    return (
      <section class="card">
        <h2>Recomputed and paged</h2>
        <p class="soft">Nothing: everything that is needed again stays in RAM.</p>
      </section>
    );
  return (
    <section class="card">
      <header>
        <h2>Recomputed and paged</h2>
        <p class="soft small">
          {sorted.length > mostRows
            ? `the first ${mostRows} of ${countFigure(sorted.length)}`
            : "what the limits cost, piece by piece"}
        </p>
      </header>
      <section class="scroll tall" aria-label="Recomputed and paged">
        <table>
          <thead>
            <tr>
              {columns.map(({ title }, column) => (
                <th
                  key={title}
                  scope="col"
                  class={column >= 2 ? "number" : ""}
                  aria-sort={by.column === column ? (by.falling ? "descending" : "ascending") : "none"}
                >
                  <button
                    type="button"
                    class="sort"
                    onClick={() => setBy({ column, falling: by.column === column ? !by.falling : column >= 2 })}
                  >
                    {title}
                    <span aria-hidden="true">{by.column === column ? (by.falling ? " ↓" : " ↑") : ""}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, mostRows).map((one) => (
              <Row key={`${one.kind}-${one.index}`} step={step} one={one} show={show} />
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
