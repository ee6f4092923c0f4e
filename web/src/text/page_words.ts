// The program names the options of its command line; the page has fields instead.
const fields: Record<string, string> = {
  "time-limit-s": "time limit",
  "ram-budget": "RAM budget",
  "runtime-budget": "deadline",
  dimensions: "“Open extents”",
  train: "“What is trained”",
};

// A sentence of the program without the words of its command line, "a larger --time-limit-s goes further", or of
// requests, "a larger time_limit_s".
export function pageWords(sentence: string): string {
  return sentence
    .replace(/(?<![\w-])--([a-z][a-z-]*[a-z])/g, (_, option: string) => fields[option] ?? option.replaceAll("-", " "))
    .replace(/\b(time_limit_s|ram_budget|runtime_budget)\b/g, (name) => fields[name.replaceAll("_", "-")] ?? name);
}
