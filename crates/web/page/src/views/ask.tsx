import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Problem, Verb } from "../contract";
import { useKept } from "../hooks";
import { type Answers, complaint, defaults, toRequest } from "../logic/options";
import { currentInput, go, isLive, problemsOf, remember, useStore } from "../store";
import { Empty } from "../ui/empty";
import { Fields } from "../ui/fields";
import { Problems } from "../ui/problems";
import { Live } from "./live";

export function AskView() {
  const { verbs, route, runs } = useStore();
  const input = currentInput();
  const run = runs.find((r) => r.id === route.run && r.input === route.input) ?? null;
  const [chosen, setVerb] = useState<Verb | null>(run?.verb ?? null);
  const [answers, setAnswers] = useKept<Record<string, Answers>>(`answers ${route.input}`, {});
  const [algorithm, setAlgorithm] = useKept<Record<string, string>>(`algorithm ${route.input}`, {});
  const [time, setTime] = useKept("time", "10");
  const [seed, setSeed] = useKept("seed", "1");
  const [enough, setEnough] = useKept("enough", "");
  const [problems, setProblems] = useState<Problem[]>([]);
  const [sending, setSending] = useState(false);
  useEffect(() => setProblems([]), [input?.id, chosen]);
  if (!input)
    return (
      <Empty title="Nothing to ask about" view="load" link="Load a cluster">
        A question needs a cluster: a file, or an example.
      </Empty>
    );

  const verb = chosen && input.verbs.includes(chosen) ? chosen : input.verbs[0];
  const description = verbs.find((v) => v.verb === verb);
  if (!description)
    return (
      <Problems
        problems={[{ code: "verbs", place: input.name, what: "no question fits this input", fix: "load another one" }]}
      />
    );
  const values = answers[verb] ?? defaults(description.options);
  const method = description.algorithms.find((a) => a.name === (algorithm[verb] ?? "auto"));
  const wrong = description.options.some((o) => complaint(o, values[o.name]) !== null) || !(Number(time) > 0);
  const busy = sending || isLive(run);

  const ask = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    setProblems([]);
    try {
      const question = {
        input: input.id,
        verb,
        ...(algorithm[verb] && algorithm[verb] !== "auto" ? { algorithm: algorithm[verb] } : {}),
        options: toRequest(description.options, values),
        time: Number(time),
        seed: Number(seed),
      };
      const { id } = await api.ask(question);
      remember({ id, input: input.id, verb, state: "queued", command: "", curve: [] });
      go({ run: id, point: null });
    } catch (error) {
      setProblems(problemsOf(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <div class="columns ask">
      <form onSubmit={ask}>
        <h1>Ask</h1>
        <fieldset class="questions">
          <legend class="hidden">Question</legend>
          {verbs.map((v) => (
            <label key={v.verb} class={input.verbs.includes(v.verb) ? "" : "off"}>
              <input
                type="radio"
                name="verb"
                value={v.verb}
                checked={v.verb === verb}
                disabled={!input.verbs.includes(v.verb)}
                onChange={() => setVerb(v.verb)}
              />
              <span>
                <strong>{v.verb}</strong>
                {v.question}
              </span>
            </label>
          ))}
        </fieldset>
        <Fields
          options={description.options.filter((o) => o.important)}
          values={values}
          onChange={(v) => setAnswers({ ...answers, [verb]: v })}
        />
        <div class="field">
          <label for="time">Stop after</label>
          <span class="entry">
            <input
              id="time"
              type="number"
              min="0.1"
              step="any"
              value={time}
              onInput={(e) => setTime(e.currentTarget.value)}
            />{" "}
            s
          </span>
        </div>
        <div class="field">
          <label for="enough">or at a gap of</label>
          <span class="entry">
            <input
              id="enough"
              type="number"
              min="0"
              max="100"
              step="any"
              placeholder="not set"
              value={enough}
              onInput={(e) => setEnough(e.currentTarget.value)}
            />{" "}
            %
          </span>
          <small>While this page is open; a proof ends a run in any case.</small>
        </div>
        <details>
          <summary>More options</summary>
          <div class="field">
            <label for="algorithm">Algorithm</label>
            <select
              id="algorithm"
              value={algorithm[verb] ?? "auto"}
              onChange={(e) => setAlgorithm({ ...algorithm, [verb]: e.currentTarget.value })}
            >
              {description.algorithms.map((a) => (
                <option key={a.name}>{a.name}</option>
              ))}
            </select>
            <small>
              {method?.summary}
              {method?.paper ? ` (${method.paper})` : ""}
            </small>
          </div>
          <Fields
            options={description.options.filter((o) => !o.important)}
            values={values}
            onChange={(v) => setAnswers({ ...answers, [verb]: v })}
          />
          <div class="field">
            <label for="seed">Seed</label>
            <span class="entry">
              <input
                id="seed"
                type="number"
                min="0"
                step="1"
                value={seed}
                onInput={(e) => setSeed(e.currentTarget.value)}
              />
            </span>
          </div>
        </details>
        <p class="submit">
          <button class="primary" disabled={busy || wrong}>
            Ask
          </button>
        </p>
        <Problems problems={problems} />
      </form>
      <Live run={run} verb={verb} enough={enough === "" ? null : Number(enough) / 100} />
    </div>
  );
}
