import type { ComponentChildren } from "preact";

// Names of networks, operations and tensors are long words; a line may end after one of these, and nowhere else.
const piece = /(?<=[_./:])(?=[^_./:])/;

// The pieces of a text between which a line may end.
export function piecesOf(text: string): string[] {
  return text.split(piece);
}

export function Breakable({ text }: { text: string }) {
  const parts: ComponentChildren[] = [];
  for (const [at, part] of piecesOf(text).entries()) parts.push(at > 0 && <wbr key={at} />, part);
  return <>{parts}</>;
}
