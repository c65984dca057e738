// Where replicas are: now, after the plan, and after its first k waves.
import type { ClusterMap, NodeColumns, PlacementColumns, ServiceColumns, Wave } from "../contract";

/** The nodes of the input, followed by those a plan opens. */
export function allNodes(map: ClusterMap, opened?: NodeColumns): NodeColumns {
  if (!opened || opened.name.length === 0) return map.nodes;
  const { nodes } = map;
  return {
    name: nodes.name.concat(opened.name),
    pool: nodes.pool.concat(opened.pool),
    zone: nodes.zone.concat(opened.zone),
    capacity: nodes.capacity.concat(opened.capacity),
  };
}

/** What is used of each resource: `nodes x resources`, node by node; of requests, the most at any time. */
export function usage(
  services: ServiceColumns,
  resources: number,
  nodes: number,
  placed: PlacementColumns,
): Float64Array {
  if (services.start && services.finish) return peak(services, resources, nodes, placed);
  const used = new Float64Array(nodes * resources);
  for (let i = 0; i < placed.node.length; i++) {
    const at = placed.node[i] * resources;
    const own = placed.used?.[i];
    const wants = own ?? services.demand[placed.service[i]];
    const times = own ? 1 : placed.count[i];
    for (let r = 0; r < resources; r++) used[at + r] += (wants[r] ?? 0) * times;
  }
  return used;
}

/** Requests come and go: a sweep over time. One that ends when another begins does not meet it. */
function peak(services: ServiceColumns, resources: number, nodes: number, placed: PlacementColumns): Float64Array {
  const events = placed.service.flatMap((service, row) => [
    { time: services.start![service], begins: 1, row },
    { time: services.finish![service], begins: 0, row },
  ]);
  events.sort((a, b) => a.time - b.time || a.begins - b.begins);
  const running = new Float64Array(nodes * resources);
  const most = new Float64Array(nodes * resources);
  for (const { begins, row } of events) {
    const at = placed.node[row] * resources;
    const demand = services.demand[placed.service[row]];
    for (let r = 0; r < resources; r++) {
      running[at + r] += (begins ? 1 : -1) * (demand[r] ?? 0) * placed.count[row];
      most[at + r] = Math.max(most[at + r], running[at + r]);
    }
  }
  return most;
}

/** Used share of capacity, laid out as `usage`; an empty capacity that is used counts as broken. */
export function shares(used: Float64Array, capacity: number[][], resources: number): Float64Array {
  const share = new Float64Array(used.length);
  for (let i = 0; i < used.length; i++) {
    const room = capacity[Math.floor(i / resources)][i % resources] ?? 0;
    share[i] = room > 0 ? used[i] / room : used[i] > 0 ? Infinity : 0;
  }
  return share;
}

/** The rows of a placement by node: those of node n are `rows[start[n] .. start[n + 1]]`. */
export interface ByNode {
  start: Uint32Array;
  rows: Uint32Array;
}

export function byNode(nodes: number, placed: PlacementColumns): ByNode {
  const start = new Uint32Array(nodes + 1);
  for (const node of placed.node) start[node + 1] += 1;
  for (let n = 0; n < nodes; n++) start[n + 1] += start[n];
  const next = start.slice(0, nodes);
  const rows = new Uint32Array(placed.node.length);
  placed.node.forEach((node, row) => (rows[next[node]++] = row));
  return { start, rows };
}

/** The placement after the first `k` waves: created replicas are there, deleted ones gone. */
export function afterWaves(now: PlacementColumns, waves: Wave[], k: number, nodes: number): PlacementColumns {
  const counts = new Map<number, number>();
  const add = (rows: PlacementColumns, sign: number) => {
    for (let i = 0; i < rows.node.length; i++) {
      const key = rows.service[i] * nodes + rows.node[i];
      counts.set(key, (counts.get(key) ?? 0) + sign * rows.count[i]);
    }
  };
  add(now, 1);
  for (const wave of waves.slice(0, k)) add(wave, wave.kind === "create" ? 1 : -1);
  const placed: PlacementColumns = { service: [], node: [], count: [] };
  for (const [key, count] of counts) {
    if (count === 0) continue;
    placed.service.push(Math.floor(key / nodes));
    placed.node.push(key % nodes);
    placed.count.push(count);
  }
  return placed;
}

/** What arrives and what leaves, row by row and summed per node. */
export interface Difference {
  rows: PlacementColumns; // count > 0 arrives, < 0 leaves
  arrives: Float64Array;
  leaves: Float64Array;
  moves: number;
}

export function difference(before: PlacementColumns, after: PlacementColumns, nodes: number): Difference {
  const counts = new Map<number, number>();
  const add = (rows: PlacementColumns, sign: number) => {
    for (let i = 0; i < rows.node.length; i++) {
      const key = rows.service[i] * nodes + rows.node[i];
      counts.set(key, (counts.get(key) ?? 0) + sign * rows.count[i]);
    }
  };
  add(after, 1);
  add(before, -1);
  const rows: PlacementColumns = { service: [], node: [], count: [] };
  const arrives = new Float64Array(nodes);
  const leaves = new Float64Array(nodes);
  let moves = 0;
  for (const [key, count] of counts) {
    if (count === 0) continue;
    const node = key % nodes;
    rows.service.push(Math.floor(key / nodes));
    rows.node.push(node);
    rows.count.push(count);
    if (count > 0) moves += count;
    (count > 0 ? arrives : leaves)[node] += Math.abs(count);
  }
  return { rows, arrives, leaves, moves };
}

/** Replicas of each service that are somewhere. */
export function alive(services: number, placed: PlacementColumns): Float64Array {
  const there = new Float64Array(services);
  for (let i = 0; i < placed.service.length; i++) there[placed.service[i]] += placed.count[i];
  return there;
}
