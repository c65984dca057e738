// Only answers with the same aim are held against one bound.
import type { ComparedRun } from "../contract";
import { maximises } from "./curve";
import { words } from "./format";

export interface Aim {
  name: string;
  verb: string;
  /** What was asked beside the verb, in words. */
  options: string;
  objective: string;
  bound: number | null;
  /** The run with the best objective; the quicker of equals. */
  best: string;
  rows: ComparedRun[];
}


/** Runs by aim, the best answer first. */
export function byAim(rows: ComparedRun[]): Aim[] {
  const groups = new Map<string, ComparedRun[]>();
  for (const row of rows) groups.set(row.aim, [...(groups.get(row.aim) ?? []), row]);
  return [...groups].map(([name, members]) => {
    const objective = members[0].objective_name;
    const [verb, , ...rest] = name.split(" ");
    const up = maximises(objective);
    const sorted = [...members].sort(
      (a, b) => (up ? b.objective - a.objective : a.objective - b.objective) || a.seconds - b.seconds,
    );
    const bounds = members.flatMap((row) => (row.bound === null ? [] : [row.bound]));
    const bound = bounds.length === 0 ? null : up ? Math.min(...bounds) : Math.max(...bounds);
    return { name, verb, options: optionWords(rest.join(" ")), objective, bound, best: sorted[0].run, rows: sorted };
  });
}

/** `{"max_moves":7,"frontier":true}` -> `max moves 7, frontier`. */
function optionWords(json: string): string {
  let options: Record<string, unknown>;
  try {
    options = JSON.parse(json);
  } catch {
    return json;
  }
  return Object.entries(options)
    .map(([name, value]) => words(name) + (value === true ? "" : ` ${value}`))
    .join(", ");
}
