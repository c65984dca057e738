// The lines of a node's list: how many of whom, and what else is to be said.
import type { PlacementColumns } from "../contract";
import { amount, number, serviceName } from "../logic/format";
import type { Scene } from "./scene";

export interface Resident {
  service: number;
  /** `2 ×`, `+3`, or nothing where there is only ever one. */
  count: string;
  name: string;
  /** A request's time, an application's share of load. */
  extra: string;
  /** Arrives (1), leaves (-1), or is there (0). */
  change: number;
}

/** Who lives on a node, or what changes there; what matters most comes first. */
export function residents(scene: Scene, node: number): Resident[] {
  const { map, placed, change, wave } = scene;
  const nameOf = (service: number) =>
    map.services.start ? `request ${map.services.name[service]}` : serviceName(map.services.name[service]);
  const changed = (rows: PlacementColumns) => (row: number) => ({
    service: rows.service[row],
    count: rows.count[row] > 0 ? `+${rows.count[row]}` : `−${-rows.count[row]}`,
    name: nameOf(rows.service[row]),
    extra: "",
    change: Math.sign(rows.count[row]),
  });
  if (change) return mostFirst(change, node).map(changed(change.rows));
  const arrived = new Map<number, number>();
  const now = wave ? mostFirst(wave, node) : [];
  for (const row of now) arrived.set(wave!.rows.service[row], wave!.rows.count[row]);
  const here: Resident[] = [];
  for (const row of heaviestFirst(scene, node)) {
    const service = placed.service[row];
    const count = placed.count[row] - Math.max(0, arrived.get(service) ?? 0);
    if (count > 0) here.push({ service, name: nameOf(service), change: 0, ...told(scene, row, count) });
  }
  return wave ? [...now.map(changed(wave.rows)), ...here] : here;
}

function told({ map, placed }: Scene, row: number, count: number): { count: string; extra: string } {
  const { start, finish } = map.services;
  const service = placed.service[row];
  if (start && finish) return { count: "", extra: `${number(start[service])} – ${number(finish[service])}` };
  const used = placed.used?.[row];
  return used ? { count: "", extra: amount(used[0], map.resources[0]) } : { count: `${count} ×`, extra: "" };
}

const rowsOf = ({ index }: { index: Scene["index"] }, node: number) => [
  ...index.rows.slice(index.start[node], index.start[node + 1]),
];

const mostFirst = (changes: { rows: PlacementColumns; index: Scene["index"] }, node: number) => {
  const { count } = changes.rows;
  return rowsOf(changes, node).sort((a, b) => Math.abs(count[b]) - Math.abs(count[a]) || a - b);
};

/** By the share of the node that each takes; requests in their own order. */
function heaviestFirst(scene: Scene, node: number): number[] {
  const { map, nodes, placed } = scene;
  const rows = rowsOf(scene, node);
  if (map.services.start) return rows;
  const share = new Map(
    rows.map((row) => {
      const own = placed.used?.[row];
      const wants = own ?? map.services.demand[placed.service[row]];
      const times = own ? 1 : placed.count[row];
      return [row, Math.max(0, ...wants.map((units, r) => (units * times) / (nodes.capacity[node][r] || Infinity)))];
    }),
  );
  return rows.sort((a, b) => share.get(b)! - share.get(a)! || a - b);
}

/** The resources a node has, or should have. */
export const resourcesOf = ({ map, nodes, used }: Scene, node: number): number[] =>
  map.resources.flatMap((_, i) =>
    nodes.capacity[node][i] > 0 || used[node * map.resources.length + i] > 0 ? [i] : [],
  );

/** What the lines of a node's list are. */
export const kindOf = ({ map, placed }: Scene): string =>
  map.services.start ? "request" : placed.used ? "application" : "service";
