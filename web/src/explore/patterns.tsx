// Fills that differ in pattern as well as in colour. The colours come from the style sheet, so that they follow light
// and dark.
const lines: Record<string, string> = {
  parameters: "",
  activations: "M-1 7 7 -1M5 9 9 5M-1 1 1 -1",
  gradients: "M-1 1 7 9M5 -1 9 3M-1 7 1 9",
  workspace: "M4 0V8",
  transfer: "M0 4H8",
  "tensor-0": "M-1 7 7 -1M5 9 9 5M-1 1 1 -1",
  "tensor-1": "M4 0V8",
  "tensor-2": "M-1 1 7 9M5 -1 9 3M-1 7 1 9",
  "tensor-3": "M0 4H8",
  "tensor-4": "M0 4H8M4 0V8",
  "tensor-5": "M3 3h2v2h-2z",
};

export function Patterns({ of }: { of: string }) {
  return (
    <defs>
      {Object.entries(lines).map(([look, path]) => (
        <pattern key={look} id={`${of}-${look}`} width={8} height={8} patternUnits="userSpaceOnUse">
          <rect class={`fill-${look}`} width={8} height={8} />
          {path && <path class="pattern-line" d={path} />}
        </pattern>
      ))}
    </defs>
  );
}

export function Swatch({ of, look }: { of: string; look: string }) {
  return (
    <svg class="swatch" width={18} height={14} aria-hidden="true">
      <rect width={18} height={14} rx={3} fill={`url(#${of}-${look})`} />
    </svg>
  );
}
