// What a node says when it is pointed at, by mouse or by keyboard.
import { amount, count } from "../logic/format";
import type { Size } from "../logic/layout";
import { shareText } from "./paint";
import type { Scene } from "./scene";

const WIDTH = 280;
const MOST = 9;

interface Props {
  scene: Scene;
  node: number;
  x: number;
  y: number;
  width: number;
  height: number;
  view: Size;
}

export function Tooltip({ scene, node, x, y, width, height, view }: Props) {
  const { map, nodes } = scene;
  const r = map.resources.length;
  const pool = map.pools[nodes.pool[node]]?.name;
  const rows = scene.change ? scene.change.rows : scene.placed;
  const index = scene.change ? scene.change.index : scene.index;
  const lines = [...index.rows.slice(index.start[node], index.start[node + 1])];
  // Beside the cell, on the side with more room.
  const left = x + width + WIDTH + 12 < view.width ? x + width + 6 : Math.max(4, x - WIDTH - 6);
  const upper = y < view.height / 2;
  const place = upper
    ? { left: `${left}px`, top: `${Math.max(4, y)}px` }
    : { left: `${left}px`, bottom: `${Math.max(4, view.height - y - height)}px` };
  return (
    <div class="tooltip" role="status" style={{ ...place, width: `${WIDTH}px` }}>
      <strong>{nodes.name[node]}</strong>
      <p>
        {[pool && `pool ${pool}`, nodes.zone[node] && `zone ${nodes.zone[node]}`, node >= scene.opened && "new"]
          .filter(Boolean)
          .join(" · ")}
      </p>
      <table>
        <tbody>
          {map.resources.map((resource, i) => (
            <tr key={resource.name} class={scene.share[node * r + i] > 1 + 1e-9 ? "broken" : ""}>
              <th>{resource.name}</th>
              <td>
                {amount(scene.used[node * r + i], resource)} of {amount(nodes.capacity[node][i], resource)}
              </td>
              <td class="number">{shareText(scene.share[node * r + i])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul>
        {lines.slice(0, MOST).map((row) => (
          <li key={row}>
            <span class={`number ${scene.change ? (rows.count[row] > 0 ? "arrive" : "leave") : ""}`}>
              {scene.change
                ? rows.count[row] > 0
                  ? `+${rows.count[row]}`
                  : `−${-rows.count[row]}`
                : `${rows.count[row]} ×`}
            </span>{" "}
            {map.services.name[rows.service[row]]}
          </li>
        ))}
        {lines.length === 0 && <li>{scene.change ? "unchanged" : "empty"}</li>}
        {lines.length > MOST && (
          <li>and {count(lines.length - MOST, "more service").replace("more services", "more")}</li>
        )}
      </ul>
    </div>
  );
}
