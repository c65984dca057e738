import { expect, it } from "vitest";
import { residents } from "./resident";
import { scene } from "./scene";

const map = {
  resources: [{ name: "cpu", unit: "core", scale: 1 }],
  pools: [{ name: "p", price: 1 }],
  nodes: { name: ["a", "b"], pool: [0, 0], zone: ["", ""], capacity: [[8], [8]] },
  services: { name: ["web", "7"], replicas: [3, 2], demand: [[1], [2]] },
  placement: { service: [0, 1, 0], node: [0, 0, 1], count: [1, 2, 2] },
};
const lines = (...args: Parameters<typeof residents>) => residents(...args).map((r) => `${r.count} ${r.name}`);

it("lists who takes most of a node first; a number is not taken for a count", () => {
  expect(lines(scene(map, map.nodes, map.placement, null), 0)).toEqual(["2 × service 7", "1 × web"]);
});

it("lists the largest changes first", () => {
  const after = { service: [0, 1, 1], node: [0, 0, 1], count: [3, 1, 1] };
  const shown = scene(map, map.nodes, after, map.placement);
  expect(lines(shown, 0)).toEqual(["+2 web", "−1 service 7"]);
  expect(lines(shown, 1)).toEqual(["−2 web", "+1 service 7"]);
});

it("says what a wave has brought or taken, and then who was there", () => {
  const starts = { kind: "create" as const, service: [0], node: [0], count: [2] };
  const during = { service: [0, 1, 0], node: [0, 0, 1], count: [3, 2, 2] };
  expect(lines(scene(map, map.nodes, during, null, starts), 0)).toEqual(["+2 web", "2 × service 7", "1 × web"]);
  const stops = { kind: "delete" as const, service: [0], node: [1], count: [2] };
  const later = { service: [0, 1], node: [0, 0], count: [3, 2] };
  expect(lines(scene(map, map.nodes, later, null, stops), 1)).toEqual(["−2 web"]);
});
