import { describe, expect, it } from "vitest";
import { groupNodes } from "./groups";
import { layout, neighbour, nodeAt } from "./layout";

const groups = (...sizes: number[]) => {
  let next = 0;
  return sizes.map((size, i) => ({ name: `g${i}`, nodes: Array.from({ length: size }, () => next++) }));
};

describe("layout", () => {
  it.each([
    [[8], 1000, 700],
    [[10_000], 1000, 700],
    [[6000, 3000, 1000], 2200, 1300],
    [Array.from({ length: 300 }, (_, i) => 1 + (i % 40)), 1000, 700],
  ])("puts every cell inside the view, none over another: %#", (sizes, width, height) => {
    const n = sizes.reduce((a, b) => a + b, 0);
    const l = layout(groups(...sizes), n, { width, height });
    expect(l.height).toBe(height);
    const seen = new Set<string>();
    let outside = 0;
    for (let i = 0; i < n; i++) {
      const [right, bottom] = [l.x[i] + l.cell.width, l.y[i] + l.cell.height];
      if (l.x[i] < 0 || l.y[i] < 0 || right > width || bottom > height) outside += 1;
      seen.add(`${l.x[i]},${l.y[i]}`);
    }
    expect(outside).toBe(0);
    expect(seen.size).toBe(n);
  });
  it("finds each node again at the middle of its cell, and none in the gaps", () => {
    const l = layout(groups(5, 40, 3), 48, { width: 900, height: 500 });
    for (let i = 0; i < 48; i++) {
      expect(nodeAt(l, l.x[i] + l.cell.width / 2, l.y[i] + l.cell.height / 2)).toBe(i);
    }
    expect(nodeAt(l, 1, 1)).toBe(-1);
    expect(nodeAt(l, l.x[0] + l.cell.width + l.gap / 2, l.y[0] + 1)).toBe(-1);
  });
  it("walks with the arrow keys and stays at the edge", () => {
    const l = layout(groups(4), 4, { width: 2000, height: 300 });
    expect(neighbour(l, 0, 1, 0)).toBe(1);
    expect(neighbour(l, 0, -1, 0)).toBe(0);
    expect(neighbour(l, 3, -1, 0)).toBe(2);
  });
  it("grows beyond the view rather than hide a node", () => {
    const l = layout(groups(100_000), 100_000, { width: 300, height: 200 });
    expect(l.cell.width).toBe(2);
    expect(l.height).toBeGreaterThan(200);
  });
  it("survives an empty cluster", () => {
    expect(layout([], 0, { width: 300, height: 200 }).blocks).toEqual([]);
  });
});

describe("groups", () => {
  const map = {
    resources: [{ name: "cpu", unit: "core", scale: 1 }],
    pools: [
      { name: "p", price: 1 },
      { name: "q", price: 2 },
    ],
    nodes: { name: ["a", "b", "c"], pool: [0, 1, 1], zone: ["z", "", "z"], capacity: [[4], [4], [4]] },
    services: { name: ["s", "t"], replicas: [2, 1], demand: [[1], [3]] },
    placement: { service: [0, 1], node: [0, 0], count: [2, 1] },
  };
  const by = (grouping: "pool" | "zone" | "service") =>
    groupNodes(map, map.nodes, map.placement, grouping).map((g) => [g.name, g.nodes]);
  it("by pool and zone, the largest first", () => {
    expect(by("pool")).toEqual([
      ["q", [1, 2]],
      ["p", [0]],
    ]);
    expect(by("zone")).toEqual([
      ["z", [0, 2]],
      ["no zone", [1]],
    ]);
  });
  it("by the service that takes most of a node, the empty ones last", () => {
    expect(by("service")).toEqual([
      ["t", [0]],
      ["empty", [1, 2]],
    ]);
  });
});
