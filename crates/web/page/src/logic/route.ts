// The address says what is looked at, so that it can be sent to somebody and reloaded.

export const VIEWS = ["load", "map", "ask", "answer", "migration", "compare"] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  view: View;
  input: string | null;
  run: string | null;
  point: number | null;
}

/** `r12-4f09ac` is shown as `r12`: the end only tells servers apart. */
export const shortId = (id: string) => id.split("-")[0];

/** Ids count up: the higher, the younger. */
export const age = (id: string) => Number(shortId(id).slice(1));

export function parseRoute(hash: string): Route {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const values = new URLSearchParams(query);
  const point = values.get("point");
  return {
    view: VIEWS.find((view) => view === path) ?? "load",
    input: values.get("input"),
    run: values.get("run"),
    point: point !== null && /^\d+$/.test(point) ? Number(point) : null,
  };
}

export function formatRoute({ view, input, run, point }: Route): string {
  const values = new URLSearchParams();
  if (input) values.set("input", input);
  if (run) values.set("run", run);
  if (run && point !== null) values.set("point", String(point));
  const query = values.toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}
