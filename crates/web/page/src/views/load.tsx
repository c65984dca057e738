import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Input, Problem } from "../contract";
import { inputName, integer } from "../logic/format";
import { get, go, problemsOf, set, useStore } from "../store";
import { Problems } from "../ui/problems";

const FIELDS: [keyof api.Extra, string, string][] = [
  ["node", "Node", "cpu=64,memory=128"],
  ["capacity", "CPU of a node", "31.58"],
  ["cpu", "CPU of a node", "32"],
  ["memory", "Memory of a node", "96"],
  ["machines", "Number of nodes", "10"],
  ["format", "Format", "tclab"],
];
const FOR: Record<string, string> = {
  node: "tables of services (TSV)",
  capacity: "tables with mean and std",
  cpu: "tables of applications",
  memory: "tables of applications",
  machines: "applications, requests",
  format: "where it is not recognised",
};

export function LoadView() {
  const { examples, inputs, route, dropped } = useStore();
  const [problems, setProblems] = useState<Problem[]>([]);
  const [notes, setNotes] = useState<Input["notes"]>([]);
  const [file, setFile] = useState<File | null>(null);
  const [extra, setExtra] = useState<api.Extra>({});
  const [busy, setBusy] = useState("");
  const [over, setOver] = useState(false);

  const take = async (what: string, load: () => Promise<Input>) => {
    setBusy(what);
    setProblems([]);
    setNotes([]);
    try {
      const input = await load();
      set({ inputs: [...get().inputs.filter((other) => other.id !== input.id), input] });
      const view =
        input.notes.length > 0
          ? "load"
          : (input.figures.nodes ?? 0) > 0 && input.workload === "services"
            ? "map"
            : "ask";
      setNotes(input.notes);
      go({ view, input: input.id, run: null, point: null });
    } catch (error) {
      setProblems(problemsOf(error));
    } finally {
      setBusy("");
    }
  };
  const read = (chosen: File | undefined | null) => {
    if (!chosen) return;
    setFile(chosen);
    take(chosen.name, () => api.upload(chosen, extra));
  };
  useEffect(() => {
    if (!dropped) return;
    set({ dropped: null });
    setOver(false);
    read(dropped);
  }, [dropped]);
  return (
    <>
      <header>
        <h1>What runs, or should run?</h1>
        <p class="muted">A file of any supported format, or an example. It stays with the server of this page.</p>
      </header>
      <div class="columns">
        <div>
          <label
            class={`drop ${over ? "over" : ""}`}
            onDragOver={() => setOver(true)}
            onDragLeave={() => setOver(false)}
          >
            <input
              type="file"
              class="hidden"
              onChange={(event) => {
                read(event.currentTarget.files?.[0]);
                event.currentTarget.value = "";
              }}
            />
            <strong>{busy ? `Reading ${busy} …` : "Drop a file here, or choose one"}</strong>
            <span class="muted">
              bayplan YAML or JSON · kubectl get -o json · TSV and CSV tables · cluster JSON · all also as .gz
            </span>
          </label>
          <div aria-live="polite">
            {problems.length > 0 && (
              <>
                <h2>{file && busy === "" ? `${file.name} cannot be read` : "This cannot be read"}</h2>
                <Problems problems={problems} />
              </>
            )}
            {notes.length > 0 && (
              <>
                <h2>Loaded; not all of it can be planned</h2>
                <ul class="problems notes">
                  {notes.map((note, i) => (
                    <li key={i}>
                      <code>{note.code}</code>
                      <div>
                        <p>{note.text}</p>
                      </div>
                    </li>
                  ))}
                </ul>
                <p>
                  <button type="button" class="primary" onClick={() => go({ view: "map" })}>
                    See the map
                  </button>
                </p>
              </>
            )}
          </div>
          <fieldset class="extra">
            <legend>What a plain table leaves open</legend>
            {FIELDS.map(([name, label, sample]) => (
              <label key={name}>
                <span>
                  {label} <code>--{name}</code>
                </span>
                <input
                  value={extra[name] ?? ""}
                  placeholder={`such as ${sample}`}
                  spellcheck={false}
                  onInput={(event) => setExtra({ ...extra, [name]: event.currentTarget.value })}
                />
                <small class="muted">{FOR[name]}</small>
              </label>
            ))}
            {file && (
              <button type="button" disabled={busy !== ""} onClick={() => read(file)}>
                Read {file.name} again
              </button>
            )}
          </fieldset>
        </div>
        <div>
          <h2>Examples</h2>
          <ul class="examples">
            {examples.map((example) => (
              <li key={example.name}>
                <button
                  type="button"
                  disabled={busy !== ""}
                  onClick={() => take(example.title, () => api.loadExample(example.name))}
                >
                  <span class="tag">{example.verb}</span>
                  <strong>{example.title}</strong>
                  <span class="muted">{example.description}</span>
                </button>
              </li>
            ))}
          </ul>
          {inputs.length > 0 && (
            <>
              <h2>Loaded</h2>
              <table class="list">
                <thead>
                  <tr>
                    <th>name</th>
                    <th>format</th>
                    <th class="number">nodes</th>
                    <th class="number">to run</th>
                  </tr>
                </thead>
                <tbody>
                  {inputs.map((input) => (
                    <tr key={input.id} aria-current={input.id === route.input ? "true" : undefined}>
                      <td>
                        <button
                          type="button"
                          class="plain"
                          onClick={() => go({ view: "map", input: input.id, run: null, point: null })}
                        >
                          {inputName(input.name)}
                        </button>
                      </td>
                      <td>{input.format}</td>
                      <td class="number">{integer(input.figures.nodes ?? 0)}</td>
                      <td class="number">
                        {integer(input.figures[input.workload] ?? 0)} {input.workload}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </>
          )}
        </div>
      </div>
    </>
  );
}
