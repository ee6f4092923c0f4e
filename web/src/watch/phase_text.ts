// What a search is at, in words for people; of other phases the search's own.
const words: Record<string, string> = {
  parts: "trying operations in parts",
  relaxation: "bounding the whole step",
  "integer program": "solving the whole step",
  windows: "bounding windows of the step",
  intervals: "pricing room in RAM",
};

export function phaseText(phase: string): string {
  return words[phase] ?? phase;
}
