// Numbers as people read them: thousands apart, few digits, always with a unit.

const NARROW = "\u202f"; // narrow no-break space: between thousands, before a unit

export function integer(value: number): string {
  const digits = Math.abs(Math.round(value)).toString();
  const grouped = digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, NARROW) : digits;
  return (Math.round(value) < 0 ? "\u2212" : "") + grouped;
}

/** Three or four digits that count; whole numbers stay whole. */
export function number(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 1000) return integer(value);
  if (size < 1e-6) return value === 0 ? "0" : value.toExponential(1).replace("-", "\u2212");
  const places = size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : Math.min(6, 3 - Math.floor(Math.log10(size)));
  return trimmed(value.toFixed(places)).replace("-", "\u2212");
}

const trimmed = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

export function percent(share: number | null | undefined, places = 1): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return "–";
  const text = (share * 100).toFixed(places);
  // A share that is not whole must not be rounded into a promise, nor a gap away.
  if (share < 1 && Number(text) >= 100) return `>${NARROW}${(100 - 10 ** -places).toFixed(places)}${NARROW}%`;
  if (share > 0 && Number(text) === 0) return `<${NARROW}${(10 ** -places).toFixed(places)}${NARROW}%`;
  return `${text.replace("-", "\u2212")}${NARROW}%`;
}

/** A confidence such as 99.9 %: all its nines, however many. */
export const confidence = (share: number) => `${trimmed((share * 100).toFixed(8))}${NARROW}%`;

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (value < 0.001) return `<${NARROW}1${NARROW}ms`;
  if (value < 1) return `${Math.round(value * 1000)}${NARROW}ms`;
  if (value < 60) return `${value.toFixed(1)}${NARROW}s`;
  const whole = Math.round(value);
  return `${Math.floor(whole / 60)}${NARROW}min ${String(whole % 60).padStart(2, "0")}${NARROW}s`;
}

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** An amount of a resource, from the integers of the model; bytes climb to the unit that suits. */
export function amount(units: number, resource: { unit: string; scale: number }): string {
  let value = units / resource.scale;
  // Some data sets count in shares of the whole cluster.
  if (resource.unit === "cluster") return percent(value, 2);
  let step = BINARY.indexOf(resource.unit === "byte" ? "B" : resource.unit);
  if (step < 0) return `${number(value)}${NARROW}${plural(value, resource.unit)}`;
  while (Math.abs(value) >= 1024 && step + 1 < BINARY.length) {
    value /= 1024;
    step += 1;
  }
  return `${number(value)}${NARROW}${BINARY[step]}`;
}

const COUNTED = new Set(["core", "card", "unit", "node", "machine", "replica", "request"]);
export const plural = (value: number, word: string) => (COUNTED.has(word) && value !== 1 ? `${word}s` : word);

/** "1 move", "3 moves". */
export const count = (value: number, word: string) => `${integer(value)} ${value === 1 ? word : `${word}s`}`;

/** `gained_affinity` -> `gained affinity`. */
export const words = (name: string) => name.replaceAll("_", " ").replaceAll("-", " ");

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
