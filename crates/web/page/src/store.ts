// What the page knows: the address, the inputs and runs of the server. One copy, with listeners.
import { useEffect, useState } from "preact/hooks";
import * as api from "./api";
import type { Example, Input, Problem, Run, Sample, VerbDescription } from "./contract";
import { formatRoute, parseRoute, type Route } from "./logic/route";

export interface State {
  route: Route;
  version: string;
  examples: Example[];
  verbs: VerbDescription[];
  inputs: Input[];
  runs: Run[];
  /** The run that is followed: its samples as they arrive, and what it is doing. */
  live: { id: string; samples: Sample[]; phase: string } | null;
  ready: boolean;
  trouble: Problem[];
  /** A file that was dropped somewhere on the page and is not read yet. */
  dropped: File | null;
}

let state: State = {
  route: parseRoute(location.hash),
  version: "",
  examples: [],
  verbs: [],
  inputs: [],
  runs: [],
  live: null,
  ready: false,
  trouble: [],
  dropped: null,
};
const listeners = new Set<() => void>();

export function set(change: Partial<State>) {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

export const get = () => state;

export function useStore(): State {
  const [, redraw] = useState(0);
  useEffect(() => {
    const listener = () => redraw((n) => n + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return state;
}

export function go(change: Partial<Route>) {
  if (state.trouble.length > 0) set({ trouble: [] });
  const hash = formatRoute({ ...state.route, ...change });
  if (hash !== location.hash) location.hash = hash;
}
addEventListener("hashchange", () => set({ route: parseRoute(location.hash) }));

export const problemsOf = (error: unknown): Problem[] =>
  error instanceof api.Refused
    ? error.problems
    : [{ code: "page", place: "", what: String(error), fix: "reload the page; if it stays, report it" }];

export async function start() {
  try {
    const [health, examples, verbs, inputs, runs] = await Promise.all([
      api.health(),
      api.examples(),
      api.verbs(),
      api.inputs(),
      api.runs(),
    ]);
    set({ version: health.version, examples, verbs, inputs, runs: merged(runs), ready: true, trouble: [] });
    const { input, run, view } = state.route;
    const known = inputs.find((i) => i.id === input) ?? inputs[0];
    // With an input on the command line, the map is what one wants to see.
    if (!known) go({ view: "load", input: null, run: null, point: null });
    else if (known.id !== input) go({ view: view === "load" ? "map" : view, input: known.id, run: null, point: null });
    else if (run && !runs.some((r) => r.id === run)) go({ run: null, point: null });
  } catch (error) {
    set({ trouble: problemsOf(error) });
  }
}

// Inputs and runs that are gone, because the server was started again or kept newer ones instead.
api.whenForgotten(async () => {
  const { input, run } = state.route;
  await start();
  const gone = state.inputs.every((other) => other.id !== input)
    ? "this input"
    : run && state.runs.every((other) => other.id !== run)
      ? "this run"
      : null;
  if (gone === null || state.trouble.length > 0) return;
  const what = `the server no longer has ${gone}: it was started again, or has forgotten it for newer ones`;
  const fix = "load or ask again; bayplan serve --store FILE survives a restart";
  set({ trouble: [{ code: "W001", place: "", what, fix }] });
});

/** Keeps one run's newest state; replaces it whole. */
export function remember(run: Run) {
  const others = state.runs.filter((other) => other.id !== run.id);
  set({ runs: [...others, run] });
}

/** The list says less of a run than the run itself: what was read in full, and maybe sooner, stays. */
function merged(runs: Run[]): Run[] {
  const known = new Map(state.runs.map((run) => [run.id, run]));
  return runs.map((run) => ({ ...known.get(run.id), ...run }));
}

export async function refreshRuns() {
  set({ runs: merged(await api.runs()) });
}

export const isLive = (run: Run | undefined | null) => run?.state === "queued" || run?.state === "running";

export const currentInput = () => state.inputs.find((input) => input.id === state.route.input) ?? null;
export const currentRun = () => state.runs.find((run) => run.id === state.route.run) ?? null;
