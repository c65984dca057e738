import { describe, expect, it } from "vitest";
import type { PlacementColumns, Wave } from "../contract";
import { afterWaves, alive, allNodes, byNode, difference, shares, usage } from "./placement";

const rows = (...entries: [number, number, number][]): PlacementColumns => ({
  service: entries.map((e) => e[0]),
  node: entries.map((e) => e[1]),
  count: entries.map((e) => e[2]),
});
const sorted = (p: PlacementColumns) =>
  p.node.map((node, i) => [p.service[i], node, p.count[i]]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);

const services = (...demand: number[][]) => ({ name: demand.map(String), replicas: demand.map(() => 1), demand });

describe("usage", () => {
  it("sums demand over replicas and resources", () => {
    const used = usage(services([2, 5], [1, 0]), 2, 2, rows([0, 0, 3], [1, 0, 2], [1, 1, 1]));
    expect([...used]).toEqual([8, 15, 1, 0]);
    expect([
      ...shares(
        used,
        [
          [16, 10],
          [4, 0],
        ],
        2,
      ),
    ]).toEqual([0.5, 1.5, 0.25, 0]);
  });
  it("takes the shares of applications as they are", () => {
    const placed = {
      ...rows([0, 0, 1], [0, 1, 1]),
      used: [
        [3, 7],
        [5, 9],
      ],
    };
    expect([...usage(services([8, 16]), 2, 2, placed)]).toEqual([3, 7, 5, 9]);
  });
  it("takes of requests the most at any time", () => {
    const requests = { ...services([2], [3], [4]), start: [0, 2, 1], finish: [2, 5, 3] };
    expect([...usage(requests, 1, 1, rows([0, 0, 1], [1, 0, 1]))]).toEqual([3]);
    expect([...usage(requests, 1, 1, rows([0, 0, 1], [1, 0, 1], [2, 0, 1]))]).toEqual([7]);
  });
  it("calls use of what is not there broken", () => {
    expect([...shares(new Float64Array([1]), [[0]], 1)]).toEqual([Infinity]);
  });
});

describe("rows by node", () => {
  it("finds each node's rows", () => {
    const placed = rows([0, 2, 1], [1, 0, 1], [2, 2, 1]);
    const { start, rows: order } = byNode(3, placed);
    expect([...start]).toEqual([0, 1, 1, 3]);
    expect([...order].slice(start[2], start[3])).toEqual([0, 2]);
  });
});

describe("waves", () => {
  const now = rows([0, 0, 2], [1, 1, 1]);
  const waves: Wave[] = [
    { kind: "create", ...rows([0, 1, 1]) },
    { kind: "delete", ...rows([0, 0, 2]) },
  ];
  it("changes nothing before the first", () => {
    expect(sorted(afterWaves(now, waves, 0, 2))).toEqual([
      [0, 0, 2],
      [1, 1, 1],
    ]);
  });
  it("creates, then deletes, and drops what is gone", () => {
    expect(sorted(afterWaves(now, waves, 1, 2))).toEqual([
      [0, 0, 2],
      [0, 1, 1],
      [1, 1, 1],
    ]);
    expect(sorted(afterWaves(now, waves, 2, 2))).toEqual([
      [0, 1, 1],
      [1, 1, 1],
    ]);
  });
  it("counts who is alive", () => {
    expect([...alive(3, afterWaves(now, waves, 2, 2))]).toEqual([1, 1, 0]);
  });
});

describe("difference", () => {
  it("counts moves as arrivals", () => {
    const d = difference(rows([0, 0, 3], [1, 1, 1]), rows([0, 0, 1], [0, 1, 2], [1, 1, 1]), 2);
    expect(d.moves).toBe(2);
    expect([...d.arrives]).toEqual([0, 2]);
    expect([...d.leaves]).toEqual([2, 0]);
    expect(sorted(d.rows)).toEqual([
      [0, 0, -2],
      [0, 1, 2],
    ]);
  });
});

describe("nodes", () => {
  it("puts opened nodes after those of the input", () => {
    const nodes = { name: ["a"], pool: [0], zone: [""], capacity: [[1]] };
    const opened = { name: ["new/0"], pool: [1], zone: [""], capacity: [[2]] };
    const map = { nodes } as never;
    expect(allNodes(map, opened).name).toEqual(["a", "new/0"]);
    expect(allNodes(map)).toBe(nodes);
  });
});
