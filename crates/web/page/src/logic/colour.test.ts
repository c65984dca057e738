import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { contrast, fillScale, parse, type Rgb } from "./colour";

describe("scale", () => {
  const scale = fillScale([0, 0, 0], [200, 100, 0], [255, 0, 0]);
  it("runs from low to high and marks what is too full", () => {
    expect(scale(0)).toBe("rgb(0, 0, 0)");
    expect(scale(0.5)).toBe("rgb(100, 50, 0)");
    expect(scale(1)).toBe("rgb(200, 100, 0)");
    expect(scale(1 + 1e-12)).toBe("rgb(200, 100, 0)");
    expect(scale(1.001)).toBe("rgb(255, 0, 0)");
    expect(scale(Infinity)).toBe("rgb(255, 0, 0)");
  });
});

// The colours are in the style sheet and nowhere else: read them there.
const sheet = readFileSync(new URL("../style/tokens.css", import.meta.url), "utf8");
const tokens = (theme: 0 | 1): Record<string, Rgb> =>
  Object.fromEntries(
    [...sheet.matchAll(/--([\w-]+):\s*light-dark\((#\w{6}),\s*(#\w{6})\)/g)].map((m) => [m[1], parse(m[2 + theme])]),
  );

describe.each([
  ["light", 0],
  ["dark", 1],
] as const)("contrast of the %s theme (WCAG AA)", (_, theme) => {
  const t = tokens(theme);
  const text = ["ink", "muted", "accent", "good", "bad", "warn", "arrive", "leave"];
  it.each(text.flatMap((ink) => ["paper", "panel", "sunken", "tint"].map((ground) => [ink, ground])))(
    "%s on %s",
    (ink, ground) => {
      expect(contrast(t[ink], t[ground])).toBeGreaterThanOrEqual(4.5);
    },
  );
  it("text on filled buttons", () => {
    expect(contrast(t["on-accent"], t.accent)).toBeGreaterThanOrEqual(4.5);
  });
  it("lines of controls and fills of the map against their ground", () => {
    expect(contrast(t.control, t.panel)).toBeGreaterThanOrEqual(3);
    expect(contrast(t.full, t.cell)).toBeGreaterThanOrEqual(3);
    expect(contrast(t.broken, t.cell)).toBeGreaterThanOrEqual(3);
  });
});
