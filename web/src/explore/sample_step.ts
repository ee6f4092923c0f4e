import { type StepText, stepOf } from "./step";

// For tests: f0 -> f1 -> b; t0 is written, dropped, and read back for b; f1 runs again.
export const sampleText: StepText = {
  figures: {
    ram_budget_bytes: 300,
    peak_ram_bytes: 260,
    plain_peak_bytes: 400,
    largest_working_set_bytes: 200,
    time_s: 6,
  },
  operations: [
    ["f0", 1, 1, 0, 0],
    ["f1", 1, 1, 60, 0],
    ["b", 1, 1, 0, 1],
  ],
  tensors: [
    ["t0", 100, "made", 0],
    ["t1", 50, "made", 1],
    ["t2", 100, "made", 2],
  ],
  backward_stage: 2,
  matrix: {
    stages: 3,
    columns: [0, 1, 2],
    runs: [0, 0, 1, 1, 0, 1, 2, 2, 0, 2, 3, 2, 1, 1, 2, 1, 1, 2, 3, 1, 2, 2, 3, 1],
    marks: [0, 0, 0, 0, 1, 3, 1, 1, 0, 0, 2, 2, 1, 2, 1, 2, 2, 0],
  },
  actions: [
    0, 0, 0, 0, 1, 100, 3, 0, 1, 1, 2, 100, 0, 1, 1, 2, 3, 210, 2, 0, 2, 3, 4, 100, 1, 1, 2, 4, 5, 210, 0, 2, 2, 5, 6,
    250,
  ],
  ram: [0, 100, 0, 0, 0, 0, 100, 0, 0, 0, 0, 150, 0, 60, 0, 0, 100, 0, 0, 0, 0, 150, 0, 60, 0, 0, 150, 100, 0, 0],
  buffers: [0, 0, 3, 1, 2, 3, 0, 3, 6, 1, 4, 6, 2, 5, 6],
  extra: [
    [1, 1, 1, 50, 1, 1, [2]],
    [2, 0, 1, 100, 2, 1, [2]],
  ],
  absences: [
    [0, 0, 1, 2, "t0 (100 bytes) is absent in stages 1 to 2, and read back.\n  While 'f1' runs, RAM is full."],
    [1, 1, 1, 2, "t1 (50 bytes) is absent, and computed again."],
  ],
};

export const sampleStep = () => stepOf(sampleText);
