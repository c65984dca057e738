// Which nodes stand together on the map.
import type { ClusterMap, NodeColumns, PlacementColumns } from "../contract";
import { serviceName } from "./format";
import { byNode } from "./placement";

export type Grouping = "pool" | "zone" | "service";

export interface Group {
  name: string;
  nodes: number[];
}

/** Groups by name, the largest first; nodes keep the order of the input. */
function collect(nodes: number, key: (node: number) => string): Group[] {
  const groups = new Map<string, number[]>();
  for (let node = 0; node < nodes; node++) {
    const name = key(node);
    const members = groups.get(name);
    if (members) members.push(node);
    else groups.set(name, [node]);
  }
  return [...groups]
    .map(([name, members]) => ({ name, nodes: members }))
    .sort((a, b) => b.nodes.length - a.nodes.length || (a.name < b.name ? -1 : 1));
}

export function groupNodes(map: ClusterMap, nodes: NodeColumns, placed: PlacementColumns, by: Grouping): Group[] {
  const n = nodes.name.length;
  if (by === "pool") return collect(n, (node) => map.pools[nodes.pool[node]]?.name ?? "no pool");
  if (by === "zone") return collect(n, (node) => nodes.zone[node] || "no zone");
  const main = mainService(map, nodes, placed);
  const groups = collect(n, (node) => (main[node] < 0 ? "empty" : serviceName(map.services.name[main[node]])));
  const empty = groups.findIndex((group) => group.name === "empty");
  if (empty >= 0) groups.push(...groups.splice(empty, 1)); // what is free comes last
  return groups;
}

/** The service that takes the largest share of a node, or -1. */
export function mainService(map: ClusterMap, nodes: NodeColumns, placed: PlacementColumns): Int32Array {
  const main = new Int32Array(nodes.name.length).fill(-1);
  const index = byNode(nodes.name.length, placed);
  for (let node = 0; node < main.length; node++) {
    let most = -1;
    for (let i = index.start[node]; i < index.start[node + 1]; i++) {
      const row = index.rows[i];
      const demand = placed.used?.[row] ?? map.services.demand[placed.service[row]];
      let share = 0;
      for (let r = 0; r < map.resources.length; r++) {
        const room = nodes.capacity[node][r];
        if (room > 0) share = Math.max(share, (demand[r] * placed.count[row]) / room);
      }
      if (share > most) {
        most = share;
        main[node] = placed.service[row];
      }
    }
  }
  return main;
}
