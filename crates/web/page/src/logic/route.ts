// The address says what is looked at, so that it can be sent to somebody and reloaded.

export const VIEWS = ["load", "map", "ask", "answer", "migration", "compare"] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  view: View;
  input: string | null;
  run: string | null;
  point: number | null;
}

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
