// The words of the server's API, as its OpenAPI document states them.

export type Verb = "provision" | "colocate" | "overcommit" | "divide" | "admit";

export interface Problem {
  code: string;
  place: string;
  what: string;
  fix: string;
}

export interface Example {
  name: string;
  title: string;
  description: string;
  verb: Verb;
}

export interface Input {
  id: string;
  name: string;
  format: string;
  workload: "services" | "applications" | "requests";
  verbs: Verb[];
  figures: Record<string, number>;
  notes: { code: string; text: string }[];
}

export interface Resource {
  name: string;
  unit: string;
  scale: number;
}

/** Columns: the n-th entry of each belongs to the n-th node. Amounts are integers, `scale` to a unit. */
export interface NodeColumns {
  name: string[];
  pool: number[];
  zone: string[]; // empty where a node has none
  capacity: number[][];
}

export interface PlacementColumns {
  service: number[];
  node: number[];
  count: number[];
  /** Units in use per resource, where that is not count times demand. */
  used?: number[][];
}

/** What runs: services, applications, or requests with their time. */
export interface ServiceColumns {
  name: string[];
  replicas: number[];
  demand: number[][];
  deviation?: number[][];
  start?: number[];
  finish?: number[];
}

export interface ClusterMap {
  resources: Resource[];
  pools: { name: string; price: number }[];
  nodes: NodeColumns;
  services: ServiceColumns;
  placement: PlacementColumns;
}

export interface Unplaced {
  name: string;
  count: number;
  reason: string;
}

export interface PlanPlacement {
  nodes: NodeColumns;
  placement: PlacementColumns;
  unplaced: Unplaced[];
}

export interface Wave extends PlacementColumns {
  kind: "delete" | "create";
}

export interface Waves {
  waves: Wave[];
  alive: { service: number[]; least: number[] };
}

export interface Option {
  name: string;
  kind: "number" | "integer" | "percent" | "choice" | "flag" | "text";
  default: number | string | boolean | null;
  choices: string[];
  help: string;
  unit: string;
  important: boolean;
}

export interface VerbDescription {
  verb: Verb;
  question: string;
  options: Option[];
  algorithms: { name: string; summary: string; paper: string | null }[];
}

export type State = "queued" | "running" | "done" | "failed" | "stopped";

export type Sample = [seconds: number, incumbent: number | null, bound: number | null];

export interface Outcome {
  verb: Verb;
  algorithm: string;
  objective: number;
  objective_name: string;
  bound: number | null;
  gap: number | null;
  proven: boolean;
  feasible: boolean;
  seconds: number;
  stopped_by: string;
  seed: number;
  notes: string[];
  unplaced: Unplaced[];
  violations: unknown[];
  [figure: string]: unknown;
}

/** A point of the frontier (moves, gained_affinity, bound) or of what confidence costs. */
export interface Point {
  moves?: number;
  waves?: number;
  gained_affinity?: number;
  bound?: number | null;
  confidence?: number;
  machines?: number;
  ucac?: number;
  notes?: string[];
  verdict?: string;
}

export interface Run {
  id: string;
  input: string;
  verb: Verb;
  algorithm?: string;
  state: State;
  command: string;
  outcome?: Outcome | null;
  verdict?: string | null;
  /** Of the answer; a list says no more of it. */
  seconds?: number | null;
  errors?: Problem[] | null;
  /** Absent in a list of runs, as are outcome, command and points. */
  curve?: Sample[];
  points?: Point[] | null;
  /** Which of the points the outcome is. */
  point?: number | null;
}

export interface Question {
  input: string;
  verb: Verb;
  algorithm?: string;
  options: Record<string, number | string | boolean>;
  time?: number;
  seed?: number;
}

export interface ComparedRun {
  run: string;
  algorithm: string;
  /** Verb, objective and options: `colocate gained_affinity {"max_moves":7}`. */
  aim: string;
  objective_name: string;
  objective: number;
  bound: number | null;
  gap: number | null;
  seconds: number;
  moves: number | null;
  proven: boolean;
}
