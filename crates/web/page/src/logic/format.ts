// Numbers as people read them: thousands apart, few digits, always with a unit.

const NARROW = "\u202f"; // narrow no-break space: before a unit

/** Thousands apart as in the server's verdicts: 1,352 moves. */
const grouped = (digits: string) => digits.replace(/\B(?<!\..*)(?=(\d{3})+(?!\d))/g, ",");

export function integer(value: number): string {
  const digits = Math.abs(Math.round(value)).toString();
  return (Math.round(value) < 0 ? "\u2212" : "") + grouped(digits);
}

/** Three to five digits that count; whole numbers stay whole. */
export function number(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 10000) return integer(value);
  if (size < 1e-6) return value === 0 ? "0" : value.toExponential(1).replace("-", "\u2212");
  if (size >= 1000) return grouped(trimmed(value.toFixed(1))).replace("-", "\u2212");
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

/** A gap: below one percent with a digit more, as in the server's verdicts. */
export const gapText = (gap: number | null) => percent(gap, gap !== null && gap > 0 && gap < 0.01 ? 2 : 1);

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

const COUNTED = new Set(["core", "card", "pod", "unit", "node", "machine", "replica", "request"]);
export const plural = (value: number, word: string) => (COUNTED.has(word) && value !== 1 ? `${word}s` : word);

/** An amount with its resource: `cpu 2 cores`, but `8 pods`, which says it already. */
export function labelled(units: number, resource: { name: string; unit: string; scale: number }): string {
  const text = amount(units, resource);
  return resource.name === `${resource.unit}s` ? text : `${resource.name} ${text}`;
}

/** What is used of what there is: `cpu 3 of 4 cores`, `memory 512 MiB of 16 GiB`. */
export function usedOf(
  used: number,
  capacity: number,
  resource: { name: string; unit: string; scale: number },
  named = true,
): string {
  const name = named && resource.name !== `${resource.unit}s` ? `${resource.name} ` : "";
  if (resource.unit === "cluster") {
    const share = ((used / resource.scale) * 100).toFixed(2);
    return `${name}${share} of ${amount(capacity, resource)} of the cluster`;
  }
  const [left, right] = [amount(used, resource), amount(capacity, resource)];
  const [figure, unit] = left.split(NARROW);
  const same = used === 0 || singular(unit) === singular(right.split(NARROW)[1]);
  return `${name}${same ? figure : left} of ${right}`;
}
const singular = (word: string) => word.replace(/s$/, "");

/** What a person calls an input: its file, or the cluster that was read when the server began. */
export const inputName = (name: string) =>
  name === "--cluster" ? "live cluster, as read at the start" : (name.split("/").pop() ?? name);

/** `length` letters of a name, the middle left out: names differ at their ends. */
export function shortened(text: string, length: number): string {
  const tail = Math.min(4, Math.floor(length / 2));
  return `${text.slice(0, length - tail)}…${text.slice(text.length - tail)}`;
}

/** "1 move", "3 moves". */
export const count = (value: number, word: string) => `${integer(value)} ${value === 1 ? word : `${word}s`}`;

/** A service's name; a bare number would read as a count. */
export const serviceName = (name: string) => (/^\d+$/.test(name) ? `service ${name}` : name);

/** `gained_affinity` -> `gained affinity`. */
export const words = (name: string) => name.replaceAll("_", " ").replaceAll("-", " ");

export const capital = (text: string) =>
  text.startsWith("cpu ") ? `CPU ${text.slice(4)}` : text.charAt(0).toUpperCase() + text.slice(1);
