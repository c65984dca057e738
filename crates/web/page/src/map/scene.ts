// All that the map shows, ready to be painted.
import type { ClusterMap, NodeColumns, PlacementColumns, Wave } from "../contract";
import { byNode, type ByNode, type Difference, difference, shares, usage } from "../logic/placement";

export type Face = "before" | "after" | "difference";

export interface Scene {
  map: ClusterMap;
  nodes: NodeColumns;
  placed: PlacementColumns;
  index: ByNode;
  used: Float64Array;
  share: Float64Array; // nodes x resources
  /** What changes, when the difference is shown. */
  change: (Difference & { index: ByNode }) | null;
  /** What the wave that is shown has changed: count > 0 arrived, < 0 left. */
  wave: { rows: PlacementColumns; index: ByNode } | null;
  /** Nodes from here on do not exist yet. */
  opened: number;
}

export function scene(
  map: ClusterMap,
  nodes: NodeColumns,
  placed: PlacementColumns,
  from: PlacementColumns | null,
  wave: Wave | null = null,
): Scene {
  const [n, r] = [nodes.name.length, map.resources.length];
  const used = usage(map.services, r, n, placed);
  const change = from && difference(from, placed, n);
  return {
    map,
    nodes,
    placed,
    index: byNode(n, placed),
    used,
    share: shares(used, nodes.capacity, r),
    change: change && { ...change, index: byNode(n, change.rows) },
    wave: wave && waveRows(wave, n),
    opened: map.nodes.name.length,
  };
}

function waveRows(wave: Wave, nodes: number): Scene["wave"] {
  const sign = wave.kind === "create" ? 1 : -1;
  const rows = { service: wave.service, node: wave.node, count: wave.count.map((count) => sign * count) };
  return { rows, index: byNode(nodes, rows) };
}

/** Nodes that hold one of these services. */
export function holding(scene: Scene, services: Set<number>): { lit: Uint8Array; nodes: number; replicas: number } {
  const lit = new Uint8Array(scene.nodes.name.length);
  let replicas = 0;
  let nodes = 0;
  scene.placed.service.forEach((service, row) => {
    if (!services.has(service)) return;
    const node = scene.placed.node[row];
    if (!lit[node]) nodes += 1;
    lit[node] = 1;
    replicas += scene.placed.count[row];
  });
  return { lit, nodes, replicas };
}
