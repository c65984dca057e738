import { useEffect, useMemo, useState } from "preact/hooks";
import * as api from "../api";
import type { ComparedRun, Problem, Run } from "../contract";
import { byAim, type Aim } from "../logic/aims";
import { fallsShortOf, overlay, withAnswer } from "../logic/curve";
import { integer, percent, seconds } from "../logic/format";
import { formatRoute, shortId } from "../logic/route";
import { currentInput, isLive, problemsOf, remember, useStore } from "../store";
import type { Line } from "../ui/chart";
import { Empty } from "../ui/empty";
import { Problems } from "../ui/problems";
import { isCount, objectiveWords, showObjective } from "../ui/proof";
import { TimeChart } from "../ui/timechart";
import { Contest } from "./contest";

const COLOURS = ["accent", "leave", "arrive", "good", "bad", "warn", "ink", "muted"] as const;

export function CompareView() {
  const { runs } = useStore();
  const input = currentInput();
  const own = useMemo(() => runs.filter((run) => run.input === input?.id), [runs, input?.id]);
  const ended = own.filter((run) => !isLive(run) && run.verdict);
  const finished = ended.filter((run) => run.outcome);
  const [left, setLeft] = useState<Set<string>>(new Set());
  const [rows, setRows] = useState<ComparedRun[]>([]);
  const [problems, setProblems] = useState<Problem[]>([]);
  const ids = finished.filter((run) => !left.has(run.id)).map((run) => run.id);
  const key = ids.join(",");
  useEffect(() => {
    if (ids.length === 0) return setRows([]);
    let wanted = true;
    api.compare(ids).then(
      (r) => wanted && (setRows(r.rows), setProblems([])),
      (e) => wanted && setProblems(problemsOf(e)),
    );
    return () => void (wanted = false);
  }, [key]);
  // A list of runs comes without answers and curves.
  const unread = ended
    .filter((run) => !run.outcome)
    .map((run) => run.id)
    .join(",");
  useEffect(() => {
    for (const id of unread.split(",").filter(Boolean)) api.run(id).then(remember, () => undefined);
  }, [unread]);
  if (!input)
    return (
      <Empty title="Nothing to compare" view="load" link="Load a cluster">
        Runs are compared on one input.
      </Empty>
    );
  const toggle = (id: string) => {
    const next = new Set(left);
    if (!next.delete(id)) next.add(id);
    setLeft(next);
  };
  return (
    <>
      <header>
        <h1>Compare</h1>
        <p class="muted">
          Answers to the same question with the same aim are held against one bound: the best that any of them proved.
        </p>
      </header>
      <Problems problems={problems} />
      {byAim(rows.filter((row) => ids.includes(row.run))).map((aim) => (
        <AimTable key={aim.name} aim={aim} runs={own} onLeave={toggle} />
      ))}
      {finished.length === 0 && <p class="muted">No finished run yet.</p>}
      {left.size > 0 && (
        <p class="muted">
          Left out:{" "}
          {finished
            .filter((run) => left.has(run.id))
            .map((run) => (
              <button key={run.id} type="button" class="plain" onClick={() => toggle(run.id)}>
                {run.verb} {run.outcome?.algorithm} ({shortId(run.id)})
              </button>
            ))}
        </p>
      )}
      <Contest input={input} live={own.filter(isLive)} />
    </>
  );
}

function AimTable({ aim, runs, onLeave }: { aim: Aim; runs: Run[]; onLeave: (id: string) => void }) {
  const { route } = useStore();
  const find = (id: string) => runs.find((run) => run.id === id);
  const show = showObjective(aim.objective);
  const curves = aim.rows.map((row) => withAnswer(find(row.run)?.curve ?? [], find(row.run)?.outcome));
  const fell = aim.rows.some((row) => {
    const run = find(row.run);
    const found = run?.outcome ? fallsShortOf(run.curve ?? [], run.outcome) : null;
    return found !== null && show(found) !== show(row.objective);
  });
  const columns = useMemo(() => overlay(curves), [JSON.stringify(curves)]);
  const lines: Line[] = aim.rows.map((row, i) => ({
    label: `${row.algorithm} (${shortId(row.run)})`,
    colour: COLOURS[i % COLOURS.length],
    step: true,
    dash: i >= COLOURS.length ? [4, 3] : undefined,
  }));
  const most = Math.max(...aim.rows.map((row) => Math.abs(row.objective)), Math.abs(aim.bound ?? 0)) || 1;
  return (
    <section class="aim">
      <h2>
        {aim.verb}: {objectiveWords(aim.objective)}{" "}
        <small>
          {aim.options && <>{aim.options} · </>}
          {aim.bound !== null && <>bound {show(aim.bound)}</>}
        </small>
      </h2>
      <div class="columns">
        <table class="list">
          <thead>
            <tr>
              <th>algorithm</th>
              <th>run</th>
              <th class="number">{objectiveWords(aim.objective)}</th>
              <th class="wide">of the bound</th>
              <th class="number">gap</th>
              <th class="number">moves</th>
              <th class="number">time</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {aim.rows.map((row) => (
              <tr key={row.run} class={row.run === aim.best ? "best" : ""}>
                <td>{row.algorithm}</td>
                <td>
                  <a href={formatRoute({ ...route, view: "answer", run: row.run, point: null })}>{shortId(row.run)}</a>
                </td>
                <td class="number">{show(row.objective)}</td>
                <td class="wide">
                  <span class="meter">
                    <i style={{ width: `${(Math.abs(row.objective) / most) * 100}%` }} />
                    {aim.bound !== null && <b style={{ left: `${(Math.abs(aim.bound) / most) * 100}%` }} />}
                  </span>
                </td>
                <td class="number">{row.proven ? "proven" : percent(row.gap, 2)}</td>
                <td class="number">{row.moves === null || row.moves === undefined ? "–" : integer(row.moves)}</td>
                <td class="number">{seconds(row.seconds)}</td>
                <td>
                  <button
                    type="button"
                    class="plain"
                    aria-label={`leave out ${shortId(row.run)}`}
                    title="leave out"
                    onClick={() => onLeave(row.run)}
                  >
                    ×
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <div>
          <TimeChart
            label={`Incumbents over time: ${aim.verb}`}
            columns={columns}
            lines={lines}
            yLabel={objectiveWords(aim.objective)}
            y={show}
            whole={isCount(aim.objective)}
            ended
            empty="No curve was kept."
          />
          {fell && (
            <p class="short muted">
              A line falls at its end where no order of moves leads to what the search found, or it is not worth its
              moves.
            </p>
          )}
        </div>
      </div>
    </section>
  );
}
