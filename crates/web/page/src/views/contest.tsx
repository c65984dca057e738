import { useState } from "preact/hooks";
import * as api from "../api";
import type { Input, Problem, Run, Verb } from "../contract";
import { useKept } from "../hooks";
import { count } from "../logic/format";
import { problemsOf, refreshRuns, useStore } from "../store";
import { Problems } from "../ui/problems";

/** Starts several algorithms on one question. */
export function Contest({ input, live }: { input: Input; live: Run[] }) {
  const { verbs } = useStore();
  const [verb, setVerb] = useKept<Verb>(`contest ${input.id}`, input.verbs[0]);
  const [chosen, setChosen] = useKept<Set<string>>("contestants", new Set(["auto"]));
  const [time, setTime] = useKept("contest time", "5");
  const [problems, setProblems] = useState<Problem[]>([]);
  const asked = input.verbs.includes(verb) ? verb : input.verbs[0];
  const algorithms = verbs.find((v) => v.verb === asked)?.algorithms ?? [];
  const picked = algorithms.filter((a) => chosen.has(a.name));
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    setChosen(next);
  };
  const start = async (event: Event) => {
    event.preventDefault();
    setProblems([]);
    try {
      for (const { name } of picked)
        await api.ask({ input: input.id, verb: asked, algorithm: name, options: {}, time: Number(time) });
    } catch (error) {
      setProblems(problemsOf(error));
    }
    await refreshRuns().catch(() => undefined);
  };
  return (
    <form class="contest" onSubmit={start}>
      <h2>Let algorithms compete</h2>
      <p class="entry">
        <select aria-label="Question" value={asked} onChange={(e) => setVerb(e.currentTarget.value as Verb)}>
          {input.verbs.map((v) => (
            <option key={v}>{v}</option>
          ))}
        </select>
        <label>
          each{" "}
          <input
            aria-label="Seconds each"
            type="number"
            min="0.1"
            step="any"
            value={time}
            onInput={(e) => setTime(e.currentTarget.value)}
          />{" "}
          s
        </label>
        <button class="primary" disabled={picked.length === 0 || !(Number(time) > 0)}>
          Run {count(picked.length, "algorithm")}
        </button>
        <span class="muted number" aria-live="polite">
          {live.length > 0 && `${live.length} running or queued`}
        </span>
      </p>
      <ul>
        {algorithms.map((a) => (
          <li key={a.name}>
            <label title={a.paper ?? ""}>
              <input type="checkbox" checked={chosen.has(a.name)} onChange={() => toggle(a.name)} />{" "}
              <span>
                <strong>{a.name}</strong> <span class="muted">{a.summary}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      <Problems problems={problems} />
    </form>
  );
}
