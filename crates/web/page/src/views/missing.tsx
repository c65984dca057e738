import type { Run } from "../contract";
import { usePlacement } from "../hooks";
import { count, integer } from "../logic/format";
import { useStore } from "../store";

const MOST = 200;

/** What has no place, and why; nothing when everything has one. */
export function Missing({ run }: { run: Run }) {
  const { route } = useStore();
  const placed = usePlacement(run, route.point);
  const missing = placed.value?.unplaced ?? [];
  if (missing.length === 0) return null;
  const total = missing.reduce((sum, entry) => sum + entry.count, 0);
  const word = run.verb === "admit" ? "request" : "replica";
  return (
    <section class="missing">
      <h2>{count(total, word)} {total === 1 ? "has" : "have"} no place</h2>
      <div class="scroll">
        <table class="list">
          <thead><tr><th>{word === "request" ? "request" : "service"}</th><th class="number">{word}s</th><th>why</th></tr></thead>
          <tbody>
            {missing.slice(0, MOST).map((entry, i) => (
              <tr key={i}><td>{entry.name}</td><td class="number">{integer(entry.count)}</td><td>{entry.reason}</td></tr>
            ))}
          </tbody>
        </table>
      </div>
      {missing.length > MOST && <p class="muted">and {integer(missing.length - MOST)} more: they are in the plan</p>}
    </section>
  );
}
