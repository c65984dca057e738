import type { ClusterMap, PlanPlacement, Run, Unplaced } from "../contract";
import { useMap, usePlacement } from "../hooks";
import { count, integer, number } from "../logic/format";
import { useStore } from "../store";

const MOST = 200;
const REASONS: Record<string, string> = {
  too_large: "too large for any node it may use",
  no_compatible_node: "no node it may use exists",
  no_room: "every node it may use is full",
  rules: "limits or spread sets leave no node",
  outbid: "the others are worth more together",
};

/** Requests that were not admitted: there is no other reason than that others were. */
function refused(map: ClusterMap, plan: PlanPlacement): Unplaced[] {
  const admitted = new Set(plan.placement.service);
  return map.services.name.flatMap((name, i) =>
    admitted.has(i) ? [] : [{ name: name || String(i), count: 1, reason: "outbid" }],
  );
}

/** What has no place, and why; nothing when everything has one. */
export function Missing({ run }: { run: Run }) {
  const { route } = useStore();
  const placed = usePlacement(run, route.point);
  const map = useMap(run.verb === "admit" ? run.input : null);
  const missing = map.value && placed.value ? refused(map.value, placed.value) : (placed.value?.unplaced ?? []);
  if (missing.length === 0) return null;
  const total = missing.reduce((sum, entry) => sum + entry.count, 0);
  const times = map.value?.services.start ? map.value.services : null;
  const word = run.verb === "admit" ? "request" : "replica";
  return (
    <section class="missing">
      <h2>
        {count(total, word)} {word === "request" ? "not admitted" : total === 1 ? "has no place" : "have no place"}
      </h2>
      <div class="scroll">
        <table class="list">
          <thead>
            <tr>
              <th>{word === "request" ? "request" : "service"}</th>
              <th class="number">{times ? "from" : "replicas"}</th>
              {times && <th class="number">until</th>}
              <th>why</th>
            </tr>
          </thead>
          <tbody>
            {missing.slice(0, MOST).map((entry, i) => (
              <tr key={i}>
                <td>{entry.name}</td>
                {times ? (
                  <>
                    <td class="number">{number(times.start![Number(entry.name)])}</td>
                    <td class="number">{number(times.finish![Number(entry.name)])}</td>
                  </>
                ) : (
                  <td class="number">{integer(entry.count)}</td>
                )}
                <td>{REASONS[entry.reason] ?? entry.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {missing.length > MOST && <p class="muted">and {integer(missing.length - MOST)} more: they are in the plan</p>}
    </section>
  );
}
