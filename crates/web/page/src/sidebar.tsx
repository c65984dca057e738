import { useState } from "preact/hooks";
import type { Run } from "./contract";
import { capital, inputName, integer, seconds } from "./logic/format";
import { age, formatRoute, shortId, type View, VIEWS } from "./logic/route";
import { go, isLive, useStore } from "./store";
import { chosenTheme, chooseTheme, type Theme } from "./theme";
import { Segments } from "./ui/segments";

export function Sidebar({ onHelp }: { onHelp: () => void }) {
  const { route, inputs, runs, version } = useStore();
  const [theme, setTheme] = useState(chosenTheme);
  const input = inputs.find((i) => i.id === route.input);
  const own = runs.filter((run) => run.input === route.input).sort((a, b) => age(b.id) - age(a.id));
  return (
    <aside>
      <a class="brand" href={formatRoute({ ...route, view: "load" })}>
        <img src="./icon.svg" alt="" width="22" height="22" /> bayplan
      </a>
      <nav aria-label="Views">
        {VIEWS.map((view, i) => (
          <a key={view} href={formatRoute({ ...route, view })} aria-current={view === route.view ? "page" : undefined}>
            {capital(view)} <kbd>{i + 1}</kbd>
          </a>
        ))}
      </nav>
      <section class="inputs">
        <label for="input">Input</label>
        <select
          id="input"
          value={route.input ?? ""}
          disabled={inputs.length === 0}
          onChange={(event) => go({ input: event.currentTarget.value, run: null, point: null })}
        >
          {inputs.length === 0 && <option value="">nothing loaded</option>}
          {inputs.map((i) => (
            <option key={i.id} value={i.id} title={i.name}>
              {inputName(i.name)}
            </option>
          ))}
        </select>
        {input && (
          <dl class="small">
            {ordered(input.figures)
              .filter(([name, n]) => n > (name === "epochs" ? 1 : 0))
              .map(([name, n]) => (
                <div key={name}>
                  <dt>{name.replaceAll("_", " ")}</dt>
                  <dd class="number">{integer(n)}</dd>
                </div>
              ))}
          </dl>
        )}
      </section>
      <section class="runs" aria-label="Runs">
        <h2>Runs</h2>
        {own.length === 0 && <p class="muted">none yet</p>}
        <ul>
          {own.map((run) => (
            <li key={run.id}>
              <a
                href={formatRoute({ ...route, view: viewFor(route.view, run), run: run.id, point: null })}
                aria-current={run.id === route.run ? "true" : undefined}
                title={run.verdict ?? run.state}
              >
                <span class={`dot ${run.state}`} aria-hidden="true" />
                <span class="what">
                  {run.verb}
                  <small>
                    {shortId(run.id)} {other(run.outcome?.algorithm ?? run.algorithm)}
                  </small>
                </span>
                <small class="number">{ending(run)}</small>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <footer>
        <Segments<Theme>
          name="theme"
          label="Colours"
          hideLabel
          value={theme}
          options={[
            ["auto", "Auto"],
            ["light", "Light"],
            ["dark", "Dark"],
          ]}
          onChange={(value) => (setTheme(value), chooseTheme(value))}
        />
        <p class="muted">
          <span>{version && `version ${version}`}</span>{" "}
          <button type="button" class="plain" onClick={onHelp}>
            Keys <kbd>?</kbd>
          </button>
        </p>
      </footer>
    </aside>
  );
}

/** A run is looked at where one is, when that view shows runs; one that goes on, where it is watched. */
const viewFor = (view: View, run: Run): View =>
  isLive(run) ? "ask" : view === "load" || view === "compare" ? "answer" : view;

/** The algorithm, when somebody chose one. */
const other = (algorithm: string | undefined) => (algorithm === "auto" ? "" : (algorithm ?? ""));

function ending(run: Run): string {
  if (run.state === "done" || run.state === "stopped") {
    const taken = run.outcome?.seconds ?? run.seconds;
    return taken == null ? run.state : seconds(taken);
  }
  return run.state;
}

const FIRST = ["nodes", "pools", "services", "applications", "requests", "replicas", "placed", "traffic_edges"];
/** What one asks first comes first. */
function ordered(figures: Record<string, number>): [string, number][] {
  const place = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return Object.entries(figures).sort(([a], [b]) => place(a) - place(b));
}
