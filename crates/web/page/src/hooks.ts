// What components wait for: answers of the server, a followed run, the size of an element.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import * as api from "./api";
import type { ClusterMap, PlanPlacement, Problem, Run, Waves } from "./contract";
import { get, isLive, problemsOf, refreshRuns, remember, set } from "./store";

export interface Loaded<T> {
  value: T | null;
  problems: Problem[];
}

// Inputs and finished runs never change, so what was read once is kept; a few dozen at the most.
const kept = new Map<string, unknown>();
const MOST_KEPT = 40;

function useLoaded<T>(key: string | null, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { key: string | null }>({ key: null, value: null, problems: [] });
  useEffect(() => {
    if (key === null || kept.has(key)) return;
    let wanted = true;
    load().then(
      (value) => {
        kept.set(key, value);
        if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value as string);
        if (wanted) setState({ key, value, problems: [] });
      },
      (error) => wanted && setState({ key, value: null, problems: problemsOf(error) }),
    );
    return () => void (wanted = false);
  }, [key]);
  if (key !== null && kept.has(key)) return { value: kept.get(key) as T, problems: [] };
  return state.key === key ? state : { value: null, problems: [] };
}

export const useMap = (input: string | null) =>
  useLoaded<ClusterMap>(input && `map ${input}`, () => api.clusterMap(input!));

const answered = (run: Run | null) => (run && !isLive(run) && run.outcome ? run.id : null);

export function usePlacement(run: Run | null, point: number | null) {
  const id = answered(run);
  return useLoaded<PlanPlacement>(id && `placement ${id} ${point}`, () => api.placement(id!, point));
}

export function useWaves(run: Run | null, point: number | null) {
  const id = answered(run);
  return useLoaded<Waves>(id && `waves ${id} ${point}`, () => api.waves(id!, point));
}

/** Reads a run in full, and follows it while it lives. Only one at a time: browsers allow few streams. */
export function useRun(id: string | null) {
  useEffect(() => {
    if (id === null) return;
    let wanted = true;
    const read = async () => {
      try {
        const run = await api.run(id);
        if (!wanted) return;
        remember(run);
        if (isLive(run) && get().live?.id !== id) listen();
      } catch {
        if (wanted) refreshRuns().catch(() => undefined);
      }
    };
    let close = () => {};
    const begin = () => wanted && set({ live: { id, samples: [], phase: "" } });
    const progress = ({ seconds, incumbent, bound, phase }: api.Progress) => {
      const live = get().live;
      if (!wanted || live?.id !== id) return;
      set({ live: { id, samples: [...live.samples, [seconds, incumbent, bound]], phase: phase || live.phase } });
    };
    const listen = () => {
      begin();
      close = api.follow(id, { begin, progress, changed: read });
    };
    read();
    return () => {
      wanted = false;
      close();
      if (get().live?.id === id) set({ live: null });
    };
  }, [id]);
}

const typed = new Map<string, unknown>();

/** Like useState, but what was typed is still there when the view comes back. */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const [, redraw] = useState(0);
  const keep = (value: T) => {
    typed.set(name, value);
    redraw((n) => n + 1);
  };
  return [typed.has(name) ? (typed.get(name) as T) : initial, keep];
}

/** Looks after runs nobody follows, as long as there are any that live. */
export function usePolling(active: boolean) {
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => refreshRuns().catch(() => undefined), 1500);
    return () => clearInterval(timer);
  }, [active]);
}

export function useSize<T extends HTMLElement>() {
  const ref = useRef<T>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current!;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return { ref, size };
}

/** Seconds since `active` became true, a few times a second. */
export function useElapsed(active: boolean): number {
  const [elapsed, setElapsed] = useState(0);
  useEffect(() => {
    if (!active) return;
    const begin = performance.now();
    const timer = setInterval(() => setElapsed((performance.now() - begin) / 1000), 200);
    return () => clearInterval(timer);
  }, [active]);
  return elapsed;
}
