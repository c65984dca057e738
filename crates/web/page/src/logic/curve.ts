// From samples of incumbent and bound to what a chart draws.
import type { Outcome, Point, Sample } from "../contract";

/** Columns for a chart: x, then one per line; null where a line has nothing to say yet. */
export type Columns = [number[], ...(number | null)[][]];

/** Incumbent and bound over time as steps that last until `now`. */
export function progressColumns(samples: Sample[], now: number | null): Columns {
  const x: number[] = [];
  const incumbent: (number | null)[] = [];
  const bound: (number | null)[] = [];
  let last: [number | null, number | null] = [null, null];
  for (const [seconds, found, limit] of samples) {
    // Samples of several threads may arrive out of order; a chart needs time to run forward.
    const at = Math.max(seconds, x.at(-1) ?? 0);
    last = [found ?? last[0], limit ?? last[1]];
    if (x.length > 0 && x[x.length - 1] === at) {
      [incumbent[x.length - 1], bound[x.length - 1]] = last;
    } else {
      x.push(at);
      incumbent.push(last[0]);
      bound.push(last[1]);
    }
  }
  if (x.length > 0 && now !== null && now > x[x.length - 1]) {
    x.push(now);
    incumbent.push(last[0]);
    bound.push(last[1]);
  }
  return [x, incumbent, bound];
}

/** A further column with nothing but the answer, at its end. */
export function withDot(columns: Columns, outcome: Outcome | null | undefined): Columns {
  const last = columns[0].length - 1;
  return [...columns, columns[0].map((_, i) => (outcome && i === last ? outcome.objective : null))];
}

/** The unit in which times up to `longest` seconds are read. */
export function timeUnit(longest: number): { unit: string; per: number } {
  if (longest >= 1) return { unit: "s", per: 1 };
  return longest >= 0.001 ? { unit: "ms", per: 1e3 } : { unit: "µs", per: 1e6 };
}

/** Places for labels at least so far from each other; whole ones have the first choice. */
export function apart(places: number[], least: number): number[] {
  const odd = (place: number) => (Math.abs(place - Math.round(place)) < 1e-9 ? 0 : 1);
  const kept: number[] = [];
  for (const place of [...places].sort((a, b) => odd(a) - odd(b) || a - b)) {
    if (kept.every((other) => Math.abs(other - place) >= least)) kept.push(place);
  }
  return kept.sort((a, b) => a - b);
}

const LARGER_IS_BETTER = new Set(["gained_affinity", "weight"]);
export const maximises = (objective: string) => LARGER_IS_BETTER.has(objective);

/** What the search found, where the answer falls short of it: not every placement can be reached, or is worth its moves. */
export function fallsShortOf(samples: Sample[], outcome: Outcome): number | null {
  const best = samples.reduce<number | null>((last, sample) => sample[1] ?? last, null);
  if (best === null) return null;
  const lost = maximises(outcome.objective_name) ? best - outcome.objective : outcome.objective - best;
  return lost > 1e-6 * Math.abs(best) ? best : null;
}

/** The samples of a run, ended by its answer: the curve need not have seen the last improvement. */
export function withAnswer(samples: Sample[], outcome: Outcome | null | undefined): Sample[] {
  if (!outcome) return samples;
  const end = Math.max(outcome.seconds, samples.at(-1)?.[0] ?? 0);
  return [...samples, [end, outcome.objective, outcome.bound]];
}

/** Columns of a run that has ended: the incumbent never gets worse, the answer is a dot of its own. */
export function endedColumns(samples: Sample[], outcome: Outcome): Columns {
  const short = fallsShortOf(samples, outcome);
  const all = withAnswer(samples, outcome);
  if (short !== null) all[all.length - 1] = [all[all.length - 1][0], short, outcome.bound];
  return withDot(progressColumns(all, null), outcome);
}

/** Distance between incumbent and bound as a share of the bound. */
export function gap(incumbent: number | null, bound: number | null): number | null {
  if (incumbent === null || bound === null) return null;
  if (incumbent === bound) return 0;
  return bound === 0 ? null : Math.abs(incumbent - bound) / Math.abs(bound);
}

/** Several runs in one chart: all times, each run's incumbent at its own. */
export function overlay(curves: Sample[][]): Columns {
  const times = [...new Set(curves.flatMap((curve) => curve.map((sample) => sample[0])))].sort((a, b) => a - b);
  const lines = curves.map((curve) => {
    const line: (number | null)[] = [];
    let next = 0;
    let last: number | null = null;
    const end = curve.at(-1)?.[0] ?? -1;
    for (const time of times) {
      while (next < curve.length && curve[next][0] <= time) last = curve[next++][1] ?? last;
      line.push(time <= end ? last : null);
    }
    return line;
  });
  return [times, ...lines];
}

export interface Choice {
  kind: "frontier" | "confidence";
  /** Index into the run's points, by x. */
  order: number[];
  columns: Columns;
}

/** The points a person chooses from: gain against moves, or nodes against confidence. */
export function choice(points: Point[] | null | undefined): Choice | null {
  if (!points || points.length === 0) return null;
  const frontier = points[0].moves !== undefined && points[0].gained_affinity !== undefined;
  const x = (point: Point) => (frontier ? (point.moves ?? 0) : nines(point.confidence ?? 0));
  const order = points.map((_, i) => i).sort((a, b) => x(points[a]) - x(points[b]) || a - b);
  const column = (value: (point: Point) => number | null | undefined) => order.map((i) => value(points[i]) ?? null);
  return {
    kind: frontier ? "frontier" : "confidence",
    order,
    columns: frontier
      ? [order.map((i) => x(points[i])), column((p) => p.gained_affinity), column((p) => p.bound)]
      : [order.map((i) => x(points[i])), column((p) => p.machines), column((p) => p.ucac)],
  };
}

/** 0.9 -> 1, 0.999 -> 3: confidences stand apart by their nines. */
export const nines = (confidence: number) => (confidence >= 1 ? 12 : -Math.log10(1 - confidence));

/** The position whose x is nearest. */
export function nearest(x: number[], value: number): number {
  let best = 0;
  for (let i = 1; i < x.length; i++) if (Math.abs(x[i] - value) < Math.abs(x[best] - value)) best = i;
  return best;
}
