// The server, as functions. Whatever it refuses arrives as `Refused`, with its codes and fixes.
import type * as c from "./contract";

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly problems: c.Problem[],
    readonly retryAfter: number | null,
  ) {
    super(problems.map((problem) => problem.what).join("; "));
  }
}

const ROOT = "api/v1";

async function refusal(response: Response): Promise<Refused> {
  const retry = Number(response.headers.get("Retry-After"));
  let problems: c.Problem[];
  try {
    problems = (await response.json()).errors;
  } catch {
    const what = `the server answered ${response.status} ${response.statusText}`.trim();
    problems = [{ code: String(response.status), place: "", what, fix: "look at the server's log" }];
  }
  return new Refused(response.status, problems, retry > 0 ? retry : null);
}

let forgotten: (problems: c.Problem[]) => void = () => {};

/** Told when the server does not know what the page asked about. */
export const whenForgotten = (listener: typeof forgotten) => (forgotten = listener);

async function call<T>(path: string, init?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${ROOT}/${path}`, init);
  } catch {
    const what = "the server does not answer";
    throw new Refused(0, [{ code: "offline", place: "", what, fix: "start it again: bayplan serve" }], null);
  }
  if (!response.ok) {
    const refused = await refusal(response);
    if (response.status === 404) forgotten(refused.problems);
    throw refused;
  }
  const text = await response.text();
  return (text ? JSON.parse(text) : undefined) as T;
}

const post = (body?: BodyInit, type?: string): RequestInit => ({
  method: "POST",
  body,
  headers: type ? { "Content-Type": type } : {},
});

export const health = () => call<{ version: string }>("health");
export const examples = () => call<c.Example[]>("examples");
export const inputs = () => call<c.Input[]>("inputs");
export const verbs = () => call<c.VerbDescription[]>("verbs");
export const runs = () => call<c.Run[]>("runs");
export const run = (id: string) => call<c.Run>(`runs/${id}`);
export const clusterMap = (input: string) => call<c.ClusterMap>(`inputs/${input}/map`);
export const loadExample = (name: string) => call<c.Input>(`inputs/examples/${name}`, post());
export const ask = (question: c.Question) =>
  call<{ id: string }>("runs", post(JSON.stringify(question), "application/json"));
export const stop = (id: string) => call<unknown>(`runs/${id}/stop`, post());
export const forget = (id: string) => call<unknown>(`runs/${id}`, { method: "DELETE" });
export const placement = (id: string, point: number | null) =>
  call<c.PlanPlacement>(`runs/${id}/placement${at(point)}`);
export const waves = (id: string, point: number | null) => call<c.Waves>(`runs/${id}/waves${at(point)}`);
export const compare = (ids: string[]) => call<{ rows: c.ComparedRun[] }>(`compare?runs=${ids.join(",")}`);

/** What a plain table cannot say by itself: the nodes; and its format, where that is not recognised. */
export type Extra = Partial<Record<"node" | "capacity" | "cpu" | "memory" | "machines" | "format", string>>;

export function upload(file: File, extra: Extra): Promise<c.Input> {
  const query = new URLSearchParams({ name: file.name });
  for (const [name, value] of Object.entries(extra)) if (value) query.set(name, value);
  return call<c.Input>(`inputs?${query}`, post(file, "application/octet-stream"));
}

const at = (point: number | null) => (point === null ? "" : `?point=${point}`);

export type Download = "plan.json" | "plan.csv" | "undo.json" | "report.html";
export const download = (id: string, file: Download, point: number | null) => `${ROOT}/runs/${id}/${file}${at(point)}`;

export interface Progress {
  seconds: number;
  incumbent: number | null;
  bound: number | null;
  phase?: string | null;
}

export interface Listener {
  /** The stream begins, or begins again: all progress so far follows. */
  begin: () => void;
  progress: (progress: Progress) => void;
  /** The run's state has changed, or the stream broke: read it again. */
  changed: () => void;
}

/** Follows a run; returns the function that stops following. */
export function follow(id: string, { begin, progress, changed }: Listener): () => void {
  const source = new EventSource(`${ROOT}/runs/${id}/events`);
  source.addEventListener("open", begin);
  source.addEventListener("error", changed);
  source.addEventListener("progress", (event) => progress(JSON.parse(event.data)));
  source.addEventListener("state", changed);
  source.addEventListener("done", () => {
    source.close();
    changed();
  });
  return () => source.close();
}
