import { heldAt, type Step, tensorBytes, tensorName, uses, useWords } from "./step";

// A layer of the picture of RAM, from the bottom up.
export type Layer = { name: string; look: string; bytes: number[] }; // bytes by action

// What RAM is taken for, without what there is none of.
export function layersByUse(step: Step): Layer[] {
  return uses
    .map((look, use) => ({
      name: useWords[use] ?? "",
      look,
      bytes: step.shares.map((shares) => shares[use] ?? 0),
    }))
    .filter((layer) => layer.bytes.some((bytes) => bytes > 0));
}

// The tensors that take most room at the worst moment, and the rest.
export function layersByTensor(step: Step, most: number): Layer[] {
  const totals = step.actions.map((action) => action.ram);
  const worst = totals.indexOf(Math.max(...totals));
  const largest = heldAt(step, worst).slice(0, most);
  const layers = largest.map((tensor, place) => ({
    name: tensorName(step, tensor),
    look: `tensor-${place}`,
    bytes: totals.map(() => 0),
  }));
  for (const buffer of step.buffers) {
    const layer = layers[largest.indexOf(buffer.tensor)];
    if (!layer) continue;
    for (let action = buffer.begin; action < buffer.end; ++action)
      layer.bytes[action] = tensorBytes(step, buffer.tensor);
  }
  const rest = totals.map(
    (total, action) => total - layers.reduce((sum, layer) => sum + (layer.bytes[action] ?? 0), 0),
  );
  return [{ name: "everything else", look: "workspace", bytes: rest }, ...layers.reverse()];
}

// More actions than pixels cannot be told apart: of neighbours the one with most RAM stands for all.
export function shownActions(step: Step, most: number): { first: number; worst: number }[] {
  const count = step.actions.length;
  const groups = Math.min(count, Math.max(1, Math.floor(most)));
  const shown: { first: number; worst: number }[] = [];
  for (let group = 0; group < groups; ++group) {
    const first = Math.floor((group * count) / groups);
    const end = Math.floor(((group + 1) * count) / groups);
    let worst = first;
    for (let at = first; at < end; ++at) if ((step.actions[at]?.ram ?? 0) > (step.actions[worst]?.ram ?? 0)) worst = at;
    shown.push({ first, worst });
  }
  return shown;
}
