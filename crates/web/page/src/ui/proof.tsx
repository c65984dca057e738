// The answer and what no answer can beat, as one bar.
import { number, percent } from "../logic/format";
import { gap } from "../logic/curve";

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
        aria-label={`${words} ${show(objective)}, bound ${bound === null ? "none" : show(bound)}, ${proven ? "proven optimal" : `gap ${percent(gap(objective, bound))}`}`}
      >
        <span class="sure" style={{ width: `${low * 100}%` }} />
        {open && <span class="open" style={{ width: `max(3px, ${(high - low) * 100}%)` }} />}
      </div>
      <p class="number">
        <b>{show(objective)}</b> {words}
        <b>{bound === null ? "–" : show(bound)}</b> bound
        <b class={proven ? "good" : ""}>{proven ? "proven optimal" : percent(gap(objective, bound))}</b>{" "}
        {proven ? "" : bound === null ? "no bound yet" : "gap"}
      </p>
    </div>
  );
}

/** How an objective is written: shares as percent, the rest as plain numbers. */
export const showObjective = (name: string) =>
  name === "gained_affinity" ? (v: number) => percent(v) : (v: number) => number(v);

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
