import { useEffect, useMemo, useState } from "preact/hooks";
import type { ClusterMap, PlanPlacement, Run, Waves } from "../contract";
import { useMap, usePlacement, useWaves } from "../hooks";
import { count, integer } from "../logic/format";
import { groupNodes } from "../logic/groups";
import { afterWaves, allNodes } from "../logic/placement";
import { MapCanvas } from "../map/canvas";
import { Legend } from "../map/legend";
import { scene as makeScene } from "../map/scene";
import { currentInput, currentRun, useStore } from "../store";
import { Empty } from "../ui/empty";
import { Exports } from "../ui/exports";
import { Problems } from "../ui/problems";
import { AliveTable, FullestTable } from "./state";

export function MigrationView() {
  const { route } = useStore();
  const run = currentRun();
  const map = useMap(currentInput()?.id ?? null);
  const plan = usePlacement(run, route.point);
  const waves = useWaves(run, route.point);
  if (!run?.outcome)
    return (
      <Empty title="No plan yet" view="ask" link="Ask a question">
        A migration leads from what runs now to a plan. Choose a run on the left, or ask.
      </Empty>
    );
  const problems = [...map.problems, ...plan.problems, ...waves.problems];
  if (problems.length > 0) return <Problems problems={problems} />;
  if (!map.value || !plan.value || !waves.value) return null;
  if (waves.value.waves.length === 0) {
    return (
      <Empty title="No waves" view="map" link="See the difference">
        {run.verb === "colocate"
          ? "Nothing moves in this plan."
          : "Only colocate puts moves in an order that keeps services alive; what this plan changes is on the map."}
      </Empty>
    );
  }
  return (
    <Scrubber
      key={`${run.id} ${route.point}`}
      run={run}
      point={route.point}
      map={map.value}
      plan={plan.value}
      waves={waves.value}
    />
  );
}

interface Props {
  run: Run;
  point: number | null;
  map: ClusterMap;
  plan: PlanPlacement;
  waves: Waves;
}

function Scrubber({ run, point, map, plan, waves }: Props) {
  const last = waves.waves.length;
  const [k, setK] = useState(0);
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => setK((now) => Math.min(last, now + 1)), 700);
    return () => clearInterval(timer);
  }, [playing, last]);
  useEffect(() => {
    if (k === last) setPlaying(false);
  }, [k, last]);

  const nodes = useMemo(() => allNodes(map, plan.nodes), [map, plan]);
  // The nodes stay where they are while the waves go by.
  const groups = useMemo(() => groupNodes(map, nodes, map.placement, "pool"), [map, nodes]);
  const scene = useMemo(() => {
    const placed = afterWaves(map.placement, waves.waves, k, nodes.name.length);
    return makeScene(map, nodes, placed, null, waves.waves[k - 1]);
  }, [map, nodes, waves, k]);
  const wave = waves.waves[k - 1];
  const touched = useMemo(() => {
    if (!wave) return null;
    const lit = new Uint8Array(nodes.name.length);
    for (const node of wave.node) lit[node] = 1;
    return lit;
  }, [wave, nodes]);
  const moved = wave ? wave.count.reduce((a, b) => a + b, 0) : 0;
  const text = wave
    ? `Wave ${integer(k)} of ${integer(last)}: ${wave.kind === "create" ? "starts" : "stops"} ${count(moved, "replica")} of ${count(new Set(wave.service).size, "service")}`
    : `Before the first of ${count(last, "wave")}`;
  const play = () => {
    if (k === last) setK(0);
    setPlaying(!playing);
  };
  return (
    <>
      <header class="toolbar">
        <h1 class="number">{text}</h1>
        <Legend scene={scene} touched />
      </header>
      <div class="stage">
        <MapCanvas
          scene={scene}
          groups={groups}
          lit={touched}
          marked={null}
          label={`The cluster after ${k} of ${last} waves`}
        />
        <div class="side">
          <AliveTable map={map} placed={scene.placed} waves={waves} />
          <FullestTable scene={scene} />
          <Exports run={run} point={point} />
        </div>
      </div>
      <div class="scrubber">
        <button type="button" onClick={play} aria-label={playing ? "Pause" : "Play"}>
          {playing ? "Pause" : "Play"}
        </button>
        <button type="button" aria-label="Previous wave" disabled={k === 0} onClick={() => setK(k - 1)}>
          ‹
        </button>
        <div class="track">
          <input
            type="range"
            min={0}
            max={last}
            value={k}
            aria-label="Wave"
            aria-valuetext={text}
            onInput={(event) => setK(Number(event.currentTarget.value))}
          />
          <WaveTicks waves={waves} k={k} />
        </div>
        <button type="button" aria-label="Next wave" disabled={k === last} onClick={() => setK(k + 1)}>
          ›
        </button>
        <div class="scrubber-end">
          <p class="legend" aria-hidden="true">
            <i class="swatch arrive" /> starts <i class="swatch leave" /> stops
          </p>
          <output class="number">
            {integer(k)} / {integer(last)}
          </output>
        </div>
      </div>
    </>
  );
}

/** How much each wave moves, as a bar above its place on the track. */
function WaveTicks({ waves, k }: { waves: Waves; k: number }) {
  const sizes = waves.waves.map((wave) => wave.count.reduce((a, b) => a + b, 0));
  const most = Math.max(...sizes, 1);
  return (
    <div class="ticks" aria-hidden="true">
      {sizes.map((size, i) => (
        <i
          key={i}
          class={`${waves.waves[i].kind} ${i < k ? "past" : ""}`}
          style={{ left: `${((i + 1) / sizes.length) * 100}%`, height: `${6 + (size / most) * 18}px` }}
        />
      ))}
    </div>
  );
}
