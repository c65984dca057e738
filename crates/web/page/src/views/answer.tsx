import { useMemo } from "preact/hooks";
import type { Outcome, Run } from "../contract";
import { useMap } from "../hooks";
import { choice, progressColumns, withAnswer } from "../logic/curve";
import { amount, number, percent, seconds, words } from "../logic/format";
import { formatRoute } from "../logic/route";
import { currentRun, isLive, useStore } from "../store";
import { Chart } from "../ui/chart";
import { Empty } from "../ui/empty";
import { Exports } from "../ui/exports";
import { Problems } from "../ui/problems";
import { objectiveWords, Proof, showObjective } from "../ui/proof";
import { ChoiceOfPoint, pointVerdict } from "./choice";
import { LINES } from "./live";
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
  const columns = useMemo(() => progressColumns(withAnswer(run.curve ?? [], outcome), null), [run]);
  const show = showObjective(outcome.objective_name);
  const at = points && point !== null && point !== run.point ? (run.points?.[point] ?? null) : null;
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
          <h2>How it was found</h2>
          <Chart
            label="Incumbent and bound over time"
            columns={columns}
            lines={LINES}
            xLabel="time, s"
            xUnit="s"
            yLabel={objectiveWords(outcome.objective_name)}
            x={(v) => String(Math.round(v * 1000) / 1000)}
            y={show}
            empty="No curve was kept."
          />
        </div>
        <div>
          <h2>Figures</h2>
          <Figures run={run} outcome={outcome} />
          {outcome.notes.length > 0 && (
            <>
              <h2>To know</h2>
              <ul class="notes">
                {outcome.notes.map((note, i) => (
                  <li key={i}>{note}</li>
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
]);
const SHARES = new Set([
  "gained_affinity",
  "gain_before",
  "violation_rate",
  "violation_rate_low",
  "violation_rate_high",
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
  lb_ded: "lower bound, dedicated",
  lp_bound: "bound of the LP",
};

function Figures({ run, outcome }: { run: Run; outcome: Outcome }) {
  const unit = useMap(run.input).value?.resources[0]?.unit ?? "";
  const rows = Object.entries(outcome).filter(
    ([name, value]) =>
      !HIDDEN.has(name) &&
      !(name === "machines" && value === outcome.nodes) &&
      !(name === "ucac" && run.verb !== "overcommit") &&
      (typeof value === "number" || typeof value === "string"),
  );
  return (
    <table class="figures">
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th>{NAMES[name] ?? words(name)}</th>
            <td class="number">{figure(name, value as number | string, unit)}</td>
          </tr>
        ))}
        <tr>
          <th>checked</th>
          <td>
            {outcome.violations.length === 0
              ? "all rules recounted, none broken"
              : `${outcome.violations.length} rules broken`}
          </td>
        </tr>
      </tbody>
    </table>
  );
}

function figure(name: string, value: number | string, unit: string): string {
  if (typeof value === "string") return value;
  if (SHARES.has(name)) return percent(value, name.startsWith("violation") ? 3 : 1);
  if (OF_FIRST_RESOURCE.has(name)) return amount(value, { unit, scale: 1 });
  return TIMES.has(name) ? seconds(value) : number(value);
}
