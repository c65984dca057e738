// How services and nodes fare at a wave.
import { useMemo } from "preact/hooks";
import type { ClusterMap, PlacementColumns, Waves } from "../contract";
import { count, integer, percent } from "../logic/format";
import { alive } from "../logic/placement";
import { shareText } from "../map/paint";
import type { Scene } from "../map/scene";

const MOST = 60;

/** Services that move, those with the least alive first. */
export function AliveTable({ map, placed, waves }: { map: ClusterMap; placed: PlacementColumns; waves: Waves }) {
  const moving = useMemo(() => {
    const least = new Map(waves.alive.service.map((service, i) => [service, waves.alive.least[i]]));
    const services = [...new Set(waves.waves.flatMap((wave) => wave.service))];
    const of = (service: number) => (least.get(service) ?? 0) / (map.services.replicas[service] || 1);
    return services
      .map((service) => ({ service, least: of(service) }))
      .sort((a, b) => a.least - b.least || a.service - b.service);
  }, [waves, map]);
  const now = useMemo(() => alive(map.services.name.length, placed), [map, placed]);
  return (
    <section>
      <h2>
        Alive{" "}
        <small>
          {count(moving.length, "service")} {moving.length === 1 ? "moves" : "move"}
        </small>
      </h2>
      <div class="scroll">
        <table class="list bars">
          <thead>
            <tr>
              <th>service</th>
              <th class="number">replicas</th>
              <th class="number">now</th>
              <th class="number">least</th>
            </tr>
          </thead>
          <tbody>
            {moving.slice(0, MOST).map(({ service, least }) => {
              const share = now[service] / (map.services.replicas[service] || 1);
              return (
                <tr key={service}>
                  <td>
                    <span class="name" title={map.services.name[service]}>
                      {map.services.name[service]}
                    </span>
                    <Bar share={Math.min(1, share)} />
                  </td>
                  <td class="number">
                    {integer(now[service])} / {integer(map.services.replicas[service])}
                  </td>
                  <td class="number">{percent(share, 0)}</td>
                  <td class="number">{percent(least, 0)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {moving.length > MOST && <p class="more muted">and {integer(moving.length - MOST)} more that keep as much alive, or more</p>}
    </section>
  );
}

/** The fullest nodes, by their scarcest resource. */
export function FullestTable({ scene }: { scene: Scene }) {
  const rows = useMemo(() => {
    const r = scene.map.resources.length;
    const worst = scene.nodes.name.map((_, node) => {
      let [most, at] = [0, 0];
      for (let i = 0; i < r; i++) if (scene.share[node * r + i] > most) [most, at] = [scene.share[node * r + i], i];
      return { node, most, resource: scene.map.resources[at]?.name ?? "" };
    });
    return worst.sort((a, b) => b.most - a.most || a.node - b.node).slice(0, 8);
  }, [scene]);
  return (
    <section>
      <h2>Fullest nodes</h2>
      <table class="list bars">
        <thead>
          <tr>
            <th>node</th>
            <th>resource</th>
            <th class="number">used</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ node, most, resource }) => (
            <tr key={node}>
              <td>
                <span class="name" title={scene.nodes.name[node]}>
                  {scene.nodes.name[node]}
                </span>
                <Bar share={most} />
              </td>
              <td>{resource}</td>
              <td class={`number ${most > 1 + 1e-9 ? "bad" : ""}`}>{shareText(most)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const Bar = ({ share }: { share: number }) => (
  <span class="meter">
    <i class={share > 1 + 1e-9 ? "over" : ""} style={{ width: `${Math.min(1, share) * 100}%` }} />
  </span>
);
