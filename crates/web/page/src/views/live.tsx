// A run as it goes: incumbent and bound over time, and the button that says "good enough".
import { useEffect, useMemo, useState } from "preact/hooks";
import * as api from "../api";
import type { Problem, Run } from "../contract";
import { useElapsed, useMap } from "../hooks";
import { endedColumns, gap, progressColumns, withDot } from "../logic/curve";
import { gapText, seconds } from "../logic/format";
import { formatRoute } from "../logic/route";
import { isLive, problemsOf, useStore } from "../store";
import { Problems } from "../ui/problems";
import { isCount, objectiveOfVerb, objectiveWords, Short, showObjective } from "../ui/proof";
import { TimeChart } from "../ui/timechart";

export function Live({ run, verb, enough }: { run: Run | null; verb: string; enough: number | null }) {
  const { live, route } = useStore();
  const active = isLive(run);
  const elapsed = useElapsed(active);
  const [stopping, setStopping] = useState(false);
  const [problems, setProblems] = useState<Problem[]>([]);
  useEffect(() => (setStopping(false), setProblems([])), [run?.id]);
  const samples = run && live?.id === run.id && active ? live.samples : (run?.curve ?? []);
  const outcome = active ? null : run?.outcome;
  const columns = useMemo(
    () => (outcome ? endedColumns(samples, outcome) : withDot(progressColumns(samples, null), null)),
    [samples.length, run?.id, run?.state, outcome],
  );
  const incumbent = outcome?.objective ?? columns[1].at(-1) ?? null;
  const bound = columns[2].at(-1) ?? null;
  const distance = gap(incumbent, bound);
  const stop = () => {
    if (!run || stopping) return;
    setStopping(true);
    api.stop(run.id).catch((error) => (setStopping(false), setProblems(problemsOf(error))));
  };
  useEffect(() => {
    if (active && enough !== null && distance !== null && incumbent !== null && distance <= enough) stop();
  }, [active, distance, enough]);

  const name = run?.outcome?.objective_name;
  const unit = useMap(run?.input ?? null).value?.resources[0]?.unit;
  const show = showObjective(name ?? (verb === "colocate" ? "gained_affinity" : ""), unit);
  const last = samples.at(-1)?.[0] ?? 0;
  return (
    <section class="live" aria-label="Progress">
      <p class={`verdict ${run?.state ?? ""}`} aria-live="polite">
        {headline(run, live?.phase ?? "", stopping)}
      </p>
      <dl class="gauges number">
        <div>
          <dt>{outcome ? "answer" : "incumbent"}</dt>
          <dd>{incumbent === null ? "–" : show(incumbent)}</dd>
        </div>
        <div>
          <dt>bound</dt>
          <dd>{bound === null ? "–" : show(bound)}</dd>
        </div>
        <div>
          <dt>gap</dt>
          <dd>{gapText(distance)}</dd>
        </div>
        <div>
          <dt>time</dt>
          <dd>{run ? seconds(active ? Math.max(elapsed, last) : (run.outcome?.seconds ?? last)) : "–"}</dd>
        </div>
      </dl>
      <TimeChart
        label="Incumbent and bound over time"
        columns={columns}
        yLabel={name ? objectiveWords(name) : objectiveOfVerb(verb)}
        y={show}
        whole={isCount(name)}
        ended={!active}
        once={several(run)}
        empty={active ? "waiting for the first plan" : "Incumbent and bound appear here while a run goes on."}
      />
      <p class="actions">
        <button type="button" disabled={!active || stopping} onClick={stop}>
          {stopping && active ? "Stopping …" : "Good enough: stop"}
        </button>
        <a
          class={`button primary ${run?.outcome ? "" : "off"}`}
          aria-disabled={!run?.outcome}
          tabIndex={run?.outcome ? 0 : -1}
          href={formatRoute({ ...route, view: "answer" })}
        >
          See the answer
        </a>
      </p>
      {outcome && <Short samples={samples} outcome={outcome} show={show} />}
      <Problems problems={[...problems, ...(run?.errors ?? [])]} />
    </section>
  );
}

/** Answers of a curve come one after the other, and only the last moment is known. */
const several = (run: Run | null) =>
  run?.points?.[0]?.confidence === undefined ? undefined : `${run.points.length} plans, one for each confidence.`;

function headline(run: Run | null, phase: string, stopping: boolean): string {
  if (!run) return "No run yet.";
  if (stopping && isLive(run)) return "Stopping: the best plan so far is checked.";
  if (run.state === "queued") return "Queued: other runs go first.";
  if (run.state === "running") return phase ? `Running: ${phase}` : "Running";
  if (run.state === "failed") return "No answer.";
  return run.verdict ?? (run.state === "stopped" ? "Stopped." : "Done.");
}
