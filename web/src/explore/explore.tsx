import { useMemo, useState } from "preact/hooks";
import { Loading, Trouble, useLoaded } from "../parts/loaded";
import { getJson } from "../service/call";
import { Matrix } from "./matrix";
import { RamChart } from "./ram_chart";
import { type StepText, stepOf } from "./step";
import { WorkTable } from "./work_table";

function Pictures({ text }: { text: StepText }) {
  const step = useMemo(() => stepOf(text), [text]);
  const [focus, setFocus] = useState<{ tensor: number; stage: number } | null>(null);
  return (
    <>
      <RamChart step={step} />
      <Matrix step={step} focus={focus} />
      <WorkTable
        step={step}
        show={(tensor, stage) => {
          setFocus({ tensor, stage });
          document.getElementById("schedule")?.scrollIntoView({ block: "start" });
        }}
      />
    </>
  );
}

// The pictures of a plan's step.
export function Explore({ id }: { id: string }) {
  const loaded = useLoaded((signal) => getJson<StepText>(`/v1/plans/${id}/step`, signal), [id]);
  if (loaded.state === "loading") return <Loading what="Replaying the step …" />;
  if (loaded.state === "error") return <Trouble error={loaded.error} />;
  return <Pictures text={loaded.value} />;
}
