import { useMemo, useState } from "preact/hooks";
import { useKept, useMap, usePlacement } from "../hooks";
import { capital, count, integer } from "../logic/format";
import { groupNodes, type Grouping } from "../logic/groups";
import { allNodes } from "../logic/placement";
import { MapCanvas } from "../map/canvas";
import { Legend } from "../map/legend";
import { type Face, holding, scene as makeScene } from "../map/scene";
import { currentInput, currentRun, useStore } from "../store";
import { Empty } from "../ui/empty";
import { Problems } from "../ui/problems";
import { Segments } from "../ui/segments";

export function MapView() {
  const { route } = useStore();
  const input = currentInput();
  const run = currentRun();
  const map = useMap(input?.id ?? null);
  const plan = usePlacement(run, route.point);
  const [wanted, setFace] = useKept<Face>("face", "after");
  const [wish, setGrouping] = useKept<Grouping>("grouping", "pool");
  const [search, setSearch] = useState("");

  const face: Face = plan.value ? wanted : "before";
  const hasZones = map.value?.nodes.zone.some((zone) => zone !== "") ?? false;
  const grouping = wish === "zone" && !hasZones ? "pool" : wish;
  const shown = useMemo(() => {
    if (!map.value) return null;
    const nodes = allNodes(map.value, plan.value?.nodes);
    const placed = face === "before" || !plan.value ? map.value.placement : plan.value.placement;
    return makeScene(map.value, nodes, placed, face === "difference" ? map.value.placement : null);
  }, [map.value, plan.value, face]);
  const groups = useMemo(
    () => (shown ? groupNodes(shown.map, shown.nodes, shown.placed, grouping) : []),
    [shown, grouping],
  );
  const found = useMemo(() => {
    const text = search.trim().toLowerCase();
    if (!shown || text === "") return null;
    const names = shown.map.services.name;
    const exact = names.findIndex((name) => name.toLowerCase() === text);
    const services = exact >= 0 ? [exact] : names.flatMap((name, i) => (name.toLowerCase().includes(text) ? [i] : []));
    const marked = new Set(services);
    return { marked, ...holding(shown, marked) };
  }, [shown, search]);

  if (!input)
    return (
      <Empty title="No map yet" view="load" link="Load a cluster">
        A map needs a cluster: a file, or an example.
      </Empty>
    );
  if (map.problems.length > 0) return <Problems problems={map.problems} />;
  const thing = input.workload.slice(0, -1); // service, application, request
  const suggestions = shown ? suggest(shown.map.services.name, search) : [];
  return (
    <>
      <header class="toolbar">
        <Segments<Face>
          name="face"
          label="Show"
          value={face}
          onChange={setFace}
          disabled={plan.value ? [] : ["after", "difference"]}
          options={[
            ["before", "Before"],
            ["after", "After"],
            ["difference", "Difference"],
          ]}
        />
        <Segments<Grouping>
          name="grouping"
          label="Group by"
          value={grouping}
          onChange={setGrouping}
          disabled={hasZones ? [] : ["zone"]}
          options={[
            ["pool", "Pool"],
            ["zone", "Zone"],
            ["service", capital(thing)],
          ]}
        />
        <label class="search">
          <span>Search</span>
          <input
            id="search"
            type="search"
            list="services"
            value={search}
            placeholder={`${thing === "application" ? "an" : "a"} ${thing}  ( / )`}
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => setSearch(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && (setSearch(""), event.currentTarget.blur())}
          />
          <datalist id="services">
            {suggestions.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <p class="found number" aria-live="polite">
          {found &&
            (found.nodes > 0
              ? `${count(found.replicas, "replica")} on ${count(found.nodes, "node")}${found.marked.size > 1 ? `, ${integer(found.marked.size)} services` : ""}`
              : "nothing found")}
        </p>
        <Legend scene={shown} />
      </header>
      {shown && shown.nodes.name.length > 0 && (
        <MapCanvas
          scene={shown}
          groups={groups}
          lit={found ? found.lit : null}
          marked={found ? found.marked : null}
          label={`${count(shown.nodes.name.length, "node")}, ${face}`}
        />
      )}
      {shown && shown.nodes.name.length === 0 && (
        <Empty title="No nodes yet" view="ask" link="Ask how many are needed">
          This input says what should run, not where. An answer opens nodes, and the map shows them.
        </Empty>
      )}
    </>
  );
}

function suggest(names: string[], search: string): string[] {
  const text = search.trim().toLowerCase();
  const found: string[] = [];
  for (const name of names) {
    if (found.length === 12) break;
    if (name.toLowerCase().includes(text)) found.push(name);
  }
  return found;
}
