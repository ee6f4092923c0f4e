// What the service takes and answers, as docs/formats/service.md says.

export type Model = {
  id: string;
  name: string;
  kind: "zoo" | "onnx";
  graphs: string[];
  what: string;
  size_bytes?: number | null;
  dimensions?: string[] | null;
  image_size?: number | null;
  sequence_length?: number | null;
  classes?: number | null;
};

// How large a step of a model is on a device.
export type ModelSize = {
  model: string;
  name: string;
  graph: string;
  platform: string;
  batch_size: number;
  io: string;
  operations: number;
  forward_operations: number;
  backward_operations: number;
  tensors: number;
  parameters: number | null;
  parameter_bytes: number | null;
  working_set_bytes: number;
  working_set_operation: string;
  // Of all ways to update that the question leaves open; a service that does not know it speaks of whole gradients only.
  least_bytes?: number;
  least_operation?: string;
  plain_peak_bytes: number;
  device_ram_bytes: number;
  compute_s: number;
  unavoidable_j: number;
  unavoidable_s: number;
  warnings: string[];
};

export type DeviceFigure = { key: string; text: string; source: string };

export type Device = {
  name: string;
  title: string;
  ram_bytes: number;
  memories: { name: string; size_bytes: number }[]; // slower ones beside the RAM
  project_ram_bytes: number; // what a C project's stack and other data leave of it
  storage_bytes: number | null;
  idle_w: number;
  io: string;
  figures: DeviceFigure[];
};

export type PlanRequest = Record<string, string | number | boolean | string[]>;

export type State = "queued" | "running" | "done" | "failed" | "cancelled";

export type Progress = {
  elapsed_s: number;
  phase?: string | null;
  incumbent?: number | null;
  bound?: number | null;
  overhead_gap?: number | null;
  unit?: "J" | "s";
  done?: number | null;
  all?: number | null;
};

export type Infeasible = {
  kind: string;
  reason: string;
  operation: string | null;
  least_budget_bytes: number | null;
  working_budget_bytes: number | null;
  least_time_s: number | null;
  working_time_s: number | null;
};

// The answer of `poet solve --json` (docs/formats/report-json.md), as far as the page shows it.
export type Report = {
  status: "optimal" | "feasible" | "infeasible" | "unknown";
  // What stands behind "optimal" and "infeasible"; results of older stores do not say.
  evidence?: "none" | "arithmetic" | "certificate" | "backend";
  model: string;
  platform: string;
  graph: string;
  batch_size: number;
  // What is said of all schedules: of this step alone, as it was cut and updated, or of every one; older results do not say.
  scope?: "this-step" | "all-steps";
  // Which weights are updated by slices; null or left out where there was no question of it.
  updates?: { asked: string; sliced: string[] } | null;
  // How operations were cut; null or left out where there was no question of it.
  parts?: { asked: "auto" | "level" | "whole"; part_bytes: number | null } | null;
  objective: "energy" | "time";
  io: string;
  backend: string;
  class: string;
  energy_j: number | null;
  compute_j: number | null;
  page_in_j: number | null;
  page_out_j: number | null;
  idle_j: number | null;
  unavoidable_j: number;
  overhead_j: number | null;
  overhead_s: number | null;
  lower_bound_j: number | null;
  lower_bound_s: number | null;
  gap: number | null;
  overhead_gap: number | null;
  time_s: number | null;
  stall_s: number | null;
  deadline_s: number | null;
  peak_ram_bytes: number | null;
  ram_budget_bytes: number;
  further_memories?: FurtherMemory[]; // of devices that have slower ones beside their RAM
  access_s?: number | null;
  largest_working_set_bytes: number;
  plain_peak_bytes: number;
  written_bytes: number | null;
  read_bytes: number | null;
  recomputed_operations: number | null;
  paged_tensors: number | null;
  warnings: string[];
  solve_s: number;
  infeasible?: Infeasible;
};

export type FurtherMemory = { name: string; size_bytes: number; peak_bytes: number | null };

export type CurvePoint = {
  ram_budget_bytes: number;
  outcome: string;
  energy_j: number | null;
  time_s: number | null;
  peak_ram_bytes: number | null;
};

export type Curve = {
  graph: string;
  unit: "J" | "s";
  plain_peak_bytes: number;
  working_set_bytes: number;
  device_ram_bytes: number;
  unavoidable: number;
  complete?: boolean;
  methods: { name: string; what: string; points: CurvePoint[] }[];
};

export type Job<Result = Report> = {
  id: string;
  kind: "plan" | "curve";
  state: State;
  ahead: number | null;
  waits_for?: string | null; // a sentence
  created_at: string | null;
  finished_at: string | null;
  request: PlanRequest;
  model_name: string;
  progress: Progress | null;
  result: Result | null;
  error: { code: string; message: string; field: string | null } | null;
  files: string[];
};

export type Summary = {
  status: Report["status"] | null;
  energy_j: number | null;
  overhead_gap: number | null;
  peak_ram_bytes: number | null;
  time_s: number | null;
};

export type ListedJob = Omit<Job, "result"> & { summary: Summary | null };
