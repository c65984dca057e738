// The answer and what no answer can beat, as one bar.
import { amount, gapText, number, percent } from "../logic/format";
import type { Outcome, Sample } from "../contract";
import { fallsShortOf, gap } from "../logic/curve";

interface Props {
  objective: number;
  bound: number | null;
  proven: boolean;
  words: string;
  show: (value: number) => string;
}

export function Proof({ objective, bound, proven, words, show }: Props) {
  const most = Math.max(Math.abs(objective), Math.abs(bound ?? 0)) || 1;
  const [low, high] = [objective, bound ?? objective].map((v) => Math.abs(v) / most).sort((a, b) => a - b);
  const open = !proven && bound !== null && high > low;
  return (
    <div class="proof">
      <div
        class="bar"
        role="img"
        aria-label={`${words} ${show(objective)}, bound ${bound === null ? "none" : show(bound)}, ${proven ? "proven optimal" : `gap ${gapText(gap(objective, bound))}`}`}
      >
        <span class="sure" style={{ width: `${low * 100}%` }} />
        {open && <span class="open" style={{ width: `max(3px, ${(high - low) * 100}%)` }} />}
      </div>
      <p class="number">
        <b>{show(objective)}</b> {words}
        <b>{bound === null ? "–" : show(bound)}</b> bound
        <b class={proven ? "good" : ""}>{proven ? "proven optimal" : gapText(gap(objective, bound))}</b>{" "}
        {proven ? "" : bound === null ? "no bound yet" : "gap, as a share of the bound"}
      </p>
    </div>
  );
}

/** Why the answer is not what the search found; nothing where nobody sees a difference. */
export function Short({ samples, outcome, show }: { samples: Sample[]; outcome: Outcome; show: Props["show"] }) {
  const found = fallsShortOf(samples, outcome);
  if (found === null || show(found) === show(outcome.objective)) return null;
  // The solver's note says which replica waits where.
  const blocked = outcome.notes.some((note) => note.startsWith("no legal way"));
  return (
    <p class="short muted">
      The search found {show(found)}, but{" "}
      {blocked
        ? "no order of moves leads all the way there: the answer is what can be reached."
        : "with more moves than that is worth: a move has its price."}
    </p>
  );
}

/** How an objective is written: shares as percent, capacity in its unit if that is known, the rest as plain numbers. */
export function showObjective(name: string, unit = ""): (value: number) => string {
  if (name === "gained_affinity") return (v) => percent(v);
  if ((name === "ucac" || name === "max_load") && unit) return (v) => amount(v, { unit, scale: 1 });
  return (v) => number(v);
}

export const isCount = (name: string | undefined) => name === "nodes" || name === "machines";

const OBJECTIVES: Record<string, string> = {
  gained_affinity: "traffic local",
  cost: "cost",
  nodes: "nodes",
  ucac: "used capacity at confidence",
  max_load: "load of the busiest node",
  weight: "weight admitted",
};
export const objectiveWords = (name: string) => OBJECTIVES[name] ?? name.replaceAll("_", " ");

const OF_VERB: Record<string, string> = {
  provision: "cost or nodes",
  colocate: "traffic local",
  overcommit: "used capacity at confidence",
  divide: "nodes",
  admit: "weight admitted",
};
/** Before there is an answer, the verb says what is counted. */
export const objectiveOfVerb = (verb: string) => OF_VERB[verb] ?? "objective";
