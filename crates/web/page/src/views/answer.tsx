import { useMemo } from "preact/hooks";
import type { Outcome, Point, Run } from "../contract";
import { useMap } from "../hooks";
import { choice, endedColumns } from "../logic/curve";
import { amount, capital, number, percent, seconds, words } from "../logic/format";
import { formatRoute } from "../logic/route";
import { currentRun, isLive, useStore } from "../store";
import { Empty } from "../ui/empty";
import { Exports } from "../ui/exports";
import { Problems } from "../ui/problems";
import { isCount, objectiveWords, Proof, Short, showObjective } from "../ui/proof";
import { TimeChart } from "../ui/timechart";
import { ChoiceOfPoint, pointVerdict } from "./choice";
import { Missing } from "./missing";

export function AnswerView() {
  const { route } = useStore();
  const run = currentRun();
  if (!run)
    return (
      <Empty title="No answer yet" view="ask" link="Ask a question">
        Choose a run on the left, or ask.
      </Empty>
    );
  if (isLive(run))
    return (
      <Empty title="Still running" view="ask" link="Watch it">
        The answer appears here once it is checked.
      </Empty>
    );
  if (!run.outcome) {
    return (
      <>
        <h1>No answer</h1>
        <Problems problems={run.errors ?? []} />
        <p>
          <a class="button" href={formatRoute({ ...route, view: "ask" })}>
            Ask again
          </a>
        </p>
      </>
    );
  }
  return <Answered run={run} outcome={run.outcome} point={route.point} />;
}

function Answered({ run, outcome, point }: { run: Run; outcome: Outcome; point: number | null }) {
  const { route } = useStore();
  const points = useMemo(() => choice(run.points), [run.points]);
  const columns = useMemo(() => endedColumns(run.curve ?? [], outcome), [run]);
  const unit = useMap(run.input).value?.resources[0]?.unit ?? "";
  const show = showObjective(outcome.objective_name, unit);
  const at = points && point !== null && point !== run.point ? (run.points?.[point] ?? null) : null;
  // A chosen point's notes are its own: those of the run are about another plan.
  const notes = at ? (at.notes ?? []) : outcome.notes;
  return (
    <>
      <header class="answer">
        <p class="kicker">
          {run.verb} · {outcome.algorithm} · {stopped(outcome)}
        </p>
        <h1 class="verdict">{(at && pointVerdict(at)) ?? run.verdict}</h1>
        {at?.gained_affinity !== undefined ? (
          <Proof
            objective={at.gained_affinity}
            bound={at.bound ?? null}
            proven={at.bound === at.gained_affinity}
            show={show}
            words="traffic local"
          />
        ) : (
          <Proof
            objective={outcome.objective}
            bound={outcome.bound}
            proven={outcome.proven}
            show={show}
            words={objectiveWords(outcome.objective_name)}
          />
        )}
        <p class="actions">
          <a class="button primary" href={formatRoute({ ...route, view: "map" })}>
            See it on the map
          </a>
          {run.verb === "colocate" && (
            <a class="button" href={formatRoute({ ...route, view: "migration" })}>
              Go through the migration
            </a>
          )}
        </p>
      </header>
      <Missing run={run} />
      <div class="columns">
        <div>
          {points && <ChoiceOfPoint run={run} points={points} point={point} />}
          {points?.kind !== "confidence" && (
            <>
              <h2>How it was found</h2>
              <TimeChart
                label="Incumbent and bound over time"
                columns={columns}
                yLabel={objectiveWords(outcome.objective_name)}
                y={show}
                whole={isCount(outcome.objective_name)}
                ended
                brief
                empty="No curve was kept."
              />
            </>
          )}
          <Short samples={run.curve ?? []} outcome={outcome} show={show} />
        </div>
        <div>
          <h2>Figures</h2>
          <Figures run={run} outcome={at ? ofPoint(outcome, at) : outcome} />
          {notes.length > 0 && (
            <>
              <h2>To know</h2>
              <ul class="notes">
                {notes.map((note, i) => (
                  <li key={i}>{capital(note)}</li>
                ))}
              </ul>
            </>
          )}
          <Exports run={run} point={point} />
        </div>
      </div>
    </>
  );
}

const stopped = (outcome: Outcome) =>
  ({ proof: "ended by proof", time: "ended by time", steps: "ended by steps", interrupt: "stopped" })[
    outcome.stopped_by
  ] ?? outcome.stopped_by;

/** What one asks first comes first; what is not here follows. */
const FIRST = [
  "nodes",
  "cost",
  "moves",
  "waves",
  "gained_affinity",
  "gain_before",
  "ucac",
  "violation_rate",
  "instances",
  "max_load",
  "admitted",
  "weight",
  "served",
  "served_weight",
  "guarantee",
  "placed",
];
const LAST = ["steps", "seed", "seconds", "cpu_seconds"];
const place = (name: string) =>
  FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length + 1 + LAST.indexOf(name);

const HIDDEN = new Set([
  "schema",
  "verb",
  "objective",
  "objective_name",
  "bound",
  "gap",
  "proven",
  "feasible",
  "notes",
  "unplaced",
  "violations",
  "algorithm",
  "stopped_by",
  "verdict",
  "violation_rate_low",
  "violation_rate_high",
]);
/** Figures that say something for some questions only. */
const ONLY: Record<string, string[]> = { ucac: ["overcommit"], max_load: ["divide"], cost: ["provision"] };
const SHARES = new Set([
  "gained_affinity",
  "gain_before",
  "violation_rate",
  "served",
  "served_weight",
]);
const TIMES = new Set(["seconds", "cpu_seconds"]);
const OF_FIRST_RESOURCE = new Set(["ucac", "max_load"]);
const NAMES: Record<string, string> = {
  seconds: "time",
  cpu_seconds: "CPU time",
  ucac: "used at confidence (UCaC)",
  max_load: "busiest node",
  gained_affinity: "traffic local",
  gain_before: "traffic local before",
  served_weight: "weight served",
  placed: "replicas placed",
  d_alpha: "deviations (D)",
  lb0: "lower bound LB0",
  nodes: "nodes in use",
  lb_ded: "lower bound, dedicated",
  lp_bound: "bound of the LP",
};

/** What is known of a chosen point, and of the run as a whole; the rest belongs to another plan. */
function ofPoint({ seconds, cpu_seconds, seed, violations }: Outcome, point: Point): Outcome {
  return { ...point, seconds, cpu_seconds, seed, violations } as unknown as Outcome;
}

function Figures({ run, outcome }: { run: Run; outcome: Outcome }) {
  const map = useMap(run.input).value;
  const unit = map?.resources[0]?.unit ?? "";
  // Where nothing runs yet, nothing moves: everything starts.
  const starts = map?.placement.count.length === 0;
  const rows = Object.entries(outcome)
    .filter(
      ([name, value]) =>
        !HIDDEN.has(name) &&
        (ONLY[name] ?? [run.verb]).includes(run.verb) &&
        !(name === "machines" && value === outcome.nodes) &&
        (typeof value === "number" || typeof value === "string"),
    )
    .sort(([a], [b]) => place(a) - place(b));
  return (
    <table class="figures">
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th>{name === "moves" && starts ? "replicas started" : (NAMES[name] ?? words(name))}</th>
            <td class="number">
              {figure(name, value as number | string, unit)}
              {name === "violation_rate" && between(outcome)}
            </td>
          </tr>
        ))}
        <tr>
          <th>checked</th>
          <td>
            {outcome.violations.length === 0
              ? "recounted: no rule broken"
              : `${outcome.violations.length} rules broken`}
          </td>
        </tr>
      </tbody>
    </table>
  );
}

/** The interval around a measured rate. */
function between({ violation_rate_low: low, violation_rate_high: high }: Outcome): string {
  return typeof low === "number" && typeof high === "number" ? ` (${percent(low, 3)} to ${percent(high, 3)})` : "";
}

function figure(name: string, value: number | string, unit: string): string {
  if (typeof value === "string") return value;
  if (SHARES.has(name)) return percent(value, name.startsWith("violation") ? 3 : 1);
  if (OF_FIRST_RESOURCE.has(name)) return amount(value, { unit, scale: 1 });
  return TIMES.has(name) ? seconds(value) : number(value);
}
