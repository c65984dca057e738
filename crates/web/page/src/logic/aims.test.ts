import { expect, it } from "vitest";
import type { ComparedRun } from "../contract";
import { byAim } from "./aims";

const row = (
  run: string,
  aim: string,
  name: string,
  objective: number,
  bound: number | null,
  seconds = 1,
): ComparedRun => ({
  run,
  aim,
  objective_name: name,
  algorithm: "a",
  objective,
  bound,
  gap: null,
  seconds,
  moves: null,
  proven: false,
});

const GAIN = 'colocate gained_affinity {"max_moves":7,"frontier":true}';

it("keeps aims apart and takes the tightest bound of each", () => {
  const [gain, cost] = byAim([
    row("r1", GAIN, "gained_affinity", 0.7, 0.9),
    row("r2", "cost", "cost", 12, 10),
    row("r3", GAIN, "gained_affinity", 0.8, 0.95),
    row("r4", "cost", "cost", 11, null),
  ]);
  expect([gain.bound, gain.best, gain.rows.map((r) => r.run)]).toEqual([0.9, "r3", ["r3", "r1"]]);
  expect([gain.verb, gain.options]).toEqual(["colocate", "max moves 7, frontier"]);
  expect([cost.bound, cost.best, cost.rows.map((r) => r.run)]).toEqual([10, "r4", ["r4", "r2"]]);
});

it("puts the quicker of equals first", () => {
  expect(byAim([row("r1", "a", "nodes", 9, 9, 2), row("r2", "a", "nodes", 9, 9, 1)])[0].best).toBe("r2");
});
