import { expect, it } from "vitest";
import { age, formatRoute, parseRoute, type Route, shortId } from "./route";

it("comes back from its own address", () => {
  const routes: Route[] = [
    { view: "load", input: null, run: null, point: null },
    { view: "migration", input: "a", run: "b", point: 0 },
    { view: "map", input: "x y&z", run: null, point: null },
  ];
  for (const route of routes) expect(parseRoute(formatRoute(route))).toEqual(route);
});

it("makes the best of a strange address", () => {
  expect(parseRoute("#/nowhere?point=-3")).toEqual({ view: "load", input: null, run: null, point: null });
  expect(parseRoute("")).toEqual({ view: "load", input: null, run: null, point: null });
});

it("shows ids without their end, and orders them by number", () => {
  expect(shortId("r12-4f09ac")).toBe("r12");
  expect(["r9-ffffff", "r100-000001", "r10-999999"].sort((a, b) => age(b) - age(a))).toEqual([
    "r100-000001",
    "r10-999999",
    "r9-ffffff",
  ]);
});
