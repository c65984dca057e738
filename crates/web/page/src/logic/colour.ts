// Colours of the map: from empty to full, and what is too full in a colour of its own.

export type Rgb = [number, number, number];

/** `rgb(1, 2, 3)`, `rgb(1 2 3 / 1)` or `#010203`. */
export function parse(colour: string): Rgb {
  const hex = /^#([0-9a-f]{6})$/i.exec(colour.trim());
  if (hex) return [0, 2, 4].map((at) => parseInt(hex[1].slice(at, at + 2), 16)) as Rgb;
  const parts = colour.match(/[\d.]+/g)?.map(Number) ?? [];
  return [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0];
}

export const css = ([r, g, b]: Rgb) => `rgb(${Math.round(r)}, ${Math.round(g)}, ${Math.round(b)})`;

export const mix = (a: Rgb, b: Rgb, t: number): Rgb =>
  [0, 1, 2].map((i) => a[i] + (b[i] - a[i]) * Math.min(1, Math.max(0, t))) as Rgb;

const STEPS = 20;

/** A scale from 0 to 1 in steps of a twentieth, so that few colours are set; above 1 is broken. */
export function fillScale(low: Rgb, high: Rgb, broken: Rgb): (share: number) => string {
  const steps = Array.from({ length: STEPS + 1 }, (_, i) => css(mix(low, high, i / STEPS)));
  const over = css(broken);
  // Exactly full is fine; the tolerance is that of the rules for real-valued demand.
  return (share) => (share > 1 + 1e-9 ? over : (steps[Math.round(Math.max(0, share) * STEPS)] ?? steps[STEPS]));
}

const channel = (value: number) => {
  const c = value / 255;
  return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
};
const luminance = ([r, g, b]: Rgb) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);

/** WCAG contrast, from 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}
