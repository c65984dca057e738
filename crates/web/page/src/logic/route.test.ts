import { expect, it } from "vitest";
import { formatRoute, parseRoute, type Route } from "./route";

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
