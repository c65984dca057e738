import { describe, expect, it } from "vitest";
import type { Option } from "../contract";
import { complaint, defaults, toRequest } from "./options";

const option = (name: string, kind: Option["kind"], value: Option["default"] = null, choices: string[] = []) =>
  ({ name, kind, default: value, choices, help: "", unit: "", important: true }) satisfies Option;
const options = [
  option("max-moves", "integer"),
  option("alive", "percent", 75),
  option("repack", "flag", false),
  option("tail", "choice", "gaussian", ["gaussian", "cantelli"]),
];

it("starts from the defaults and sends nothing of them", () => {
  expect(defaults(options)).toEqual({ "max-moves": "", alive: "75", repack: false, tail: "gaussian" });
  expect(toRequest(options, defaults(options))).toEqual({});
});

it("sends what was changed, numbers as numbers", () => {
  const answers = { "max-moves": " 12 ", alive: "50", repack: true, tail: "cantelli" };
  expect(toRequest(options, answers)).toEqual({ "max-moves": 12, alive: 50, repack: true, tail: "cantelli" });
});

describe("complaints", () => {
  it.each([
    [0, "12", null],
    [0, "1.5", "a whole number"],
    [0, "-1", "a whole number"],
    [0, "", null],
    [1, "99.9", null],
    [1, "101", "a number from 0 to 100"],
    [1, "many", "a number from 0 to 100"],
    [3, "other", "one of gaussian, cantelli"],
  ])("option %i: %s", (index, value, expected) => {
    expect(complaint(options[index], value)).toBe(expected);
  });
});
