// What a person typed into the form of a question, as the server wants it.
import type { Option } from "../contract";

export type Answers = Record<string, string | boolean>;

export function defaults(options: Option[]): Answers {
  return Object.fromEntries(
    options.map((o) => [o.name, o.kind === "flag" ? o.default === true : o.default === null ? "" : String(o.default)]),
  );
}

/** What is wrong with an entry, in words, or null. */
export function complaint(option: Option, value: string | boolean): string | null {
  if (typeof value === "boolean" || value.trim() === "") return null;
  const text = value.trim();
  switch (option.kind) {
    case "integer":
      return /^\d+$/.test(text) ? null : "a whole number";
    case "number":
      return Number(text) >= 0 && Number(text) < Infinity ? null : "a number, 0 or more";
    case "percent":
      return Number(text) >= 0 && Number(text) <= 100 ? null : "a number from 0 to 100";
    case "choice":
      return option.choices.includes(text) ? null : `one of ${option.choices.join(", ")}`;
    default:
      return null;
  }
}

/** Only what differs from the default is sent: the command line that repeats it stays short. */
export function toRequest(options: Option[], answers: Answers): Record<string, number | string | boolean> {
  const plain = defaults(options);
  const request: Record<string, number | string | boolean> = {};
  for (const option of options) {
    const value = answers[option.name] ?? "";
    if (value === plain[option.name]) continue;
    if (typeof value === "boolean") request[option.name] = value;
    else if (value.trim() === "") continue;
    else if (["integer", "number", "percent"].includes(option.kind)) request[option.name] = Number(value);
    else request[option.name] = value.trim();
  }
  return request;
}
