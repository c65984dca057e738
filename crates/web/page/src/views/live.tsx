// A run as it goes: incumbent and bound over time, and the button that says "good enough".
import { useEffect, useMemo, useState } from "preact/hooks";
import * as api from "../api";
import type { Problem, Run } from "../contract";
import { useElapsed } from "../hooks";
import { gap, progressColumns, withAnswer } from "../logic/curve";
import { percent, seconds } from "../logic/format";
import { formatRoute } from "../logic/route";
import { isLive, problemsOf, useStore } from "../store";
import { Chart, type Line } from "../ui/chart";
import { Problems } from "../ui/problems";
import { objectiveOfVerb, objectiveWords, showObjective } from "../ui/proof";

export const LINES: Line[] = [
  { label: "incumbent", colour: "accent", step: true },
  { label: "bound", colour: "leave", step: true, dash: [6, 4] },
];

export function Live({ run, verb, enough }: { run: Run | null; verb: string; enough: number | null }) {
  const { live, route } = useStore();
  const active = isLive(run);
  const elapsed = useElapsed(active);
  const [stopping, setStopping] = useState(false);
  const [problems, setProblems] = useState<Problem[]>([]);
  useEffect(() => (setStopping(false), setProblems([])), [run?.id]);
  const samples = run && live?.id === run.id && active ? live.samples : withAnswer(run?.curve ?? [], run?.outcome);
  const columns = useMemo(() => progressColumns(samples, null), [samples.length, run?.id, run?.state]);
  const incumbent = columns[1].at(-1) ?? null;
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
  const show = showObjective(name ?? (verb === "colocate" ? "gained_affinity" : ""));
  const last = samples.at(-1)?.[0] ?? 0;
  return (
    <section class="live" aria-label="Progress">
      <p class={`verdict ${run?.state ?? ""}`} aria-live="polite">
        {headline(run, live?.phase ?? "", stopping)}
      </p>
      <dl class="gauges number">
        <div>
          <dt>incumbent</dt>
          <dd>{incumbent === null ? "–" : show(incumbent)}</dd>
        </div>
        <div>
          <dt>bound</dt>
          <dd>{bound === null ? "–" : show(bound)}</dd>
        </div>
        <div>
          <dt>gap</dt>
          <dd>{percent(distance)}</dd>
        </div>
        <div>
          <dt>time</dt>
          <dd>{run ? seconds(active ? Math.max(elapsed, last) : (run.outcome?.seconds ?? last)) : "–"}</dd>
        </div>
      </dl>
      <Chart
        label="Incumbent and bound over time"
        columns={columns}
        lines={LINES}
        xLabel="time, s"
        xUnit="s"
        yLabel={name ? objectiveWords(name) : objectiveOfVerb(verb)}
        x={(v) => String(Math.round(v * 1000) / 1000)}
        y={show}
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
      <Problems problems={[...problems, ...(run?.errors ?? [])]} />
    </section>
  );
}

function headline(run: Run | null, phase: string, stopping: boolean): string {
  if (!run) return "No run yet.";
  if (stopping && isLive(run)) return "Stopping: the best plan so far is checked.";
  if (run.state === "queued") return "Queued: other runs go first.";
  if (run.state === "running") return phase ? `Running: ${phase}` : "Running";
  if (run.state === "failed") return "No answer.";
  return run.verdict ?? (run.state === "stopped" ? "Stopped." : "Done.");
}
