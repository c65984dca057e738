// Only answers with the same aim are held against one bound.
import type { ComparedRun } from "../contract";

export interface Aim {
  name: string;
  verb: string;
  objective: string;
  bound: number | null;
  /** The run with the best objective; the quicker of equals. */
  best: string;
  rows: ComparedRun[];
}

const LARGER_IS_BETTER = new Set(["gained_affinity", "weight"]);

/** Runs by aim, the best answer first. */
export function byAim(rows: ComparedRun[]): Aim[] {
  const groups = new Map<string, ComparedRun[]>();
  for (const row of rows) groups.set(row.aim, [...(groups.get(row.aim) ?? []), row]);
  return [...groups].map(([name, members]) => {
    const { verb, objective_name: objective } = members[0];
    const up = LARGER_IS_BETTER.has(objective);
    const sorted = [...members].sort((a, b) => (up ? b.objective - a.objective : a.objective - b.objective) || a.seconds - b.seconds);
    const bounds = members.flatMap((row) => (row.bound === null ? [] : [row.bound]));
    const bound = bounds.length === 0 ? null : up ? Math.min(...bounds) : Math.max(...bounds);
    return { name, verb, objective, bound, best: sorted[0].run, rows: sorted };
  });
}
