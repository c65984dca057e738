import { describe, expect, it } from "vitest";
import { apart, choice, endedColumns, fallsShortOf, gap, nearest, nines, overlay, progressColumns, timeUnit, withAnswer, withDot } from "./curve";

describe("progress", () => {
  it("carries the last value on, to now", () => {
    expect(
      progressColumns(
        [
          [0, 10, null],
          [1, null, 8],
          [2, 9, null],
        ],
        3,
      ),
    ).toEqual([
      [0, 1, 2, 3],
      [10, 10, 9, 9],
      [null, 8, 8, 8],
    ]);
  });
  it("keeps time running forward, one value a moment", () => {
    expect(
      progressColumns(
        [
          [1, 5, 1],
          [0.5, 4, 2],
          [1, 3, 2],
        ],
        null,
      ),
    ).toEqual([[1], [3], [2]]);
  });
  it("has nothing to draw before the first sample", () => {
    expect(progressColumns([], 5)).toEqual([[], [], []]);
  });
  it("ends in the answer", () => {
    const outcome = { seconds: 2, objective: 3, bound: 3 } as never;
    expect(withAnswer([[1, 4, 2]], outcome).at(-1)).toEqual([2, 3, 3]);
    expect(withAnswer([], null)).toEqual([]);
  });
  it("never lets an incumbent fall: an answer that is worse is a dot below", () => {
    const outcome = { seconds: 2, objective: 0.73, bound: 0.78, objective_name: "gained_affinity" } as never;
    expect(fallsShortOf([[1, 0.77, null]], outcome)).toBe(0.77);
    expect(endedColumns([[1, 0.77, null]], outcome)).toEqual([
      [1, 2],
      [0.77, 0.77],
      [null, 0.78],
      [null, 0.73],
    ]);
    const fewer = { seconds: 2, objective: 7, bound: 7, objective_name: "nodes" } as never;
    expect(fallsShortOf([[1, 8, null]], fewer)).toBeNull();
    expect(endedColumns([[1, 8, 6]], fewer)[1]).toEqual([8, 7]);
  });
});

it("knows the gap as a share of the bound", () => {
  expect(gap(9, 10)).toBeCloseTo(0.1);
  expect(gap(0, 0)).toBe(0);
  expect(gap(1, 0)).toBeNull();
  expect(gap(null, 1)).toBeNull();
});

it("lays runs over each other, none longer than it ran", () => {
  expect(
    overlay([
      [
        [0, 5, null],
        [2, 4, null],
      ],
      [[1, 7, null]],
    ]),
  ).toEqual([
    [0, 1, 2],
    [5, 5, 4],
    [null, 7, null],
  ]);
});

describe("choice", () => {
  it("sorts the frontier by moves", () => {
    const c = choice([
      { moves: 9, gained_affinity: 0.8, bound: 0.9 },
      { moves: 0, gained_affinity: 0.1 },
    ]);
    expect(c).toEqual({
      kind: "frontier",
      order: [1, 0],
      columns: [
        [0, 9],
        [0.1, 0.8],
        [null, 0.9],
      ],
    });
  });
  it("puts confidences apart by their nines", () => {
    const c = choice([
      { confidence: 0.9, machines: 10, ucac: 5 },
      { confidence: 0.999, machines: 12, ucac: 6 },
    ]);
    expect(c?.kind).toBe("confidence");
    expect(c?.columns[0][1]).toBeCloseTo(3);
    expect(nines(1)).toBe(12);
  });
  it("is none without points", () => {
    expect(choice([])).toBeNull();
    expect(choice(undefined)).toBeNull();
  });
  it("finds the nearest point", () => {
    expect(nearest([0, 10, 20], 14)).toBe(1);
    expect(nearest([0, 10, 20], 99)).toBe(2);
  });
});

describe("axes", () => {
  it("reads short times in small units", () => {
    expect([12, 1, 0.25, 0.001, 0.0002].map((t) => timeUnit(t).unit)).toEqual(["s", "s", "ms", "ms", "µs"]);
  });
  it("labels what has room, whole nines first", () => {
    expect(apart([0.3, 1, 1.3, 2, 2.3, 3], 0.8)).toEqual([1, 2, 3]);
    expect(apart([0.3, 1, 1.3, 2], 0.3)).toEqual([0.3, 1, 1.3, 2]);
    expect(apart([], 1)).toEqual([]);
  });
  it("marks the answer at the end, and nothing before there is one", () => {
    const outcome = { objective: 7 } as Parameters<typeof withDot>[1];
    expect(withDot([[0, 1], [5, 6], [9, 8]], outcome).at(-1)).toEqual([null, 7]);
    expect(withDot([[0, 1], [5, 6], [9, 8]], null).at(-1)).toEqual([null, null]);
    expect(withDot([[], [], []], outcome).at(-1)).toEqual([]);
  });
});
