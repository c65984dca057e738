// Several plans in one answer: gain against moves, or nodes against confidence. One is chosen.
import type { Point, Run } from "../contract";
import type { Choice } from "../logic/curve";
import { useMap } from "../hooks";
import { amount, confidence, count, integer, number, percent } from "../logic/format";
import { go } from "../store";
import { Chart } from "../ui/chart";

export function pointVerdict(point: Point): string | null {
  if (point.verdict) return point.verdict;
  if (point.gained_affinity !== undefined && point.moves !== undefined) {
    const { bound, gained_affinity: gain } = point;
    const more =
      bound == null || gain === 0
        ? ""
        : bound > gain
          ? `, at most ${percent(bound / gain - 1)} more is possible`
          : ", proven optimal";
    return `${percent(point.gained_affinity)} of traffic local, ${count(point.moves, "move")}${more}`;
  }
  if (point.confidence !== undefined && point.machines !== undefined) {
    return `${count(point.machines, "node")} at ${confidence(point.confidence)} confidence`;
  }
  return null;
}

export function ChoiceOfPoint({ run, points, point }: { run: Run; points: Choice; point: number | null }) {
  const all = run.points!;
  const unit = useMap(run.input).value?.resources[0]?.unit;
  const place = Math.max(0, points.order.indexOf(point ?? run.point ?? points.order.length - 1));
  const choose = (position: number) => go({ point: points.order[position] });
  const frontier = points.kind === "frontier";
  const chosen = all[points.order[place]];
  const text = pointVerdict(chosen) ?? "";
  return (
    <section class="choice">
      <h2>{frontier ? "Gain against moves: choose" : "What confidence costs: choose"}</h2>
      {frontier ? (
        <Chart
          label="Local traffic against moves"
          columns={points.columns}
          xLabel="moves"
          xUnit="moves"
          yLabel="traffic local"
          lines={[
            { label: "traffic local", colour: "accent", dots: true },
            { label: "bound", colour: "leave", dash: [6, 4] },
          ]}
          x={integer}
          xWhole
          y={(v) => percent(v)}
          selected={place}
          onSelect={choose}
          empty=""
        />
      ) : (
        <Chart
          label="Nodes against confidence"
          columns={[points.columns[0], points.columns[1]]}
          xLabel="confidence"
          yLabel="nodes"
          lines={[{ label: "nodes", colour: "accent", dots: true }]}
          x={(v) => confidence(1 - 10 ** -v)}
          y={integer}
          whole
          xTicks={(min, max) => points.columns[0].filter((v) => v >= min && v <= max)}
          selected={place}
          onSelect={choose}
          empty=""
        />
      )}
      <input
        type="range"
        min={0}
        max={points.order.length - 1}
        step={1}
        value={place}
        aria-label={frontier ? "Plan, from few moves to many" : "Confidence"}
        aria-valuetext={text}
        onInput={(event) => choose(Number(event.currentTarget.value))}
      />
      <table class="list">
        <thead>
          {frontier ? (
            <tr>
              <th class="number">moves</th>
              <th class="number">traffic local</th>
              <th class="number">bound</th>
              <th class="number">gained per move</th>
            </tr>
          ) : (
            <tr>
              <th class="number">confidence</th>
              <th class="number">nodes</th>
              <th class="number">used at confidence</th>
            </tr>
          )}
        </thead>
        <tbody>
          {points.order.map((index, position) => {
            const p = all[index];
            return (
              <tr key={index} aria-current={position === place ? "true" : undefined} onClick={() => choose(position)}>
                {frontier ? (
                  <>
                    <td class="number">{integer(p.moves!)}</td>
                    <td class="number">{percent(p.gained_affinity)}</td>
                    <td class="number">{percent(p.bound)}</td>
                    <td class="number">
                      {p.moves
                        ? percent((p.gained_affinity! - (all[points.order[0]].gained_affinity ?? 0)) / p.moves, 2)
                        : "–"}
                    </td>
                  </>
                ) : (
                  <>
                    <td class="number">{confidence(p.confidence!)}</td>
                    <td class="number">{integer(p.machines!)}</td>
                    <td class="number">{unit ? amount(p.ucac ?? 0, { unit, scale: 1 }) : number(p.ucac)}</td>
                  </>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
