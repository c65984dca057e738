// What a node says when it is pointed at, by mouse or by keyboard.
import { integer, usedOf } from "../logic/format";
import type { Size } from "../logic/layout";
import { shareText } from "./paint";
import { residents, resourcesOf } from "./resident";
import type { Scene } from "./scene";

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
  const lines = residents(scene, node);
  const wide = innerWidth >= 2000 ? 400 : 345;
  // Beside the cell, on the side with more room.
  const left = x + width + wide + 12 < view.width ? x + width + 6 : Math.max(4, x - wide - 6);
  const upper = y < view.height / 2;
  const place = upper
    ? { left: `${left}px`, top: `${Math.max(4, y)}px` }
    : { left: `${left}px`, bottom: `${Math.max(4, view.height - y - height)}px` };
  return (
    <div class="tooltip" role="status" style={{ ...place, width: `${wide}px` }}>
      <strong>{nodes.name[node]}</strong>
      <p>
        {[
          pool && `pool ${pool}`,
          nodes.zone[node] && `zone ${nodes.zone[node]}`,
          node >= scene.opened && "new",
          scene.change && "use after the plan",
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
      <table>
        <tbody>
          {resourcesOf(scene, node).map((i) => (
            <tr key={i} class={scene.share[node * r + i] > 1 + 1e-9 ? "broken" : ""}>
              <th>{map.resources[i].name}</th>
              <td>{usedOf(scene.used[node * r + i], nodes.capacity[node][i], map.resources[i], false)}</td>
              <td class="number">{shareText(scene.share[node * r + i])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul>
        {lines.slice(0, MOST).map(({ count, name, extra, change }, i) => (
          <li key={i}>
            {count && <span class={`number ${["leave", "", "arrive"][change + 1]}`}>{count}</span>} {name}
            {extra && <span class="extra-figure number">{extra}</span>}
          </li>
        ))}
        {lines.length === 0 && <li>{scene.change ? "unchanged" : "empty"}</li>}
        {lines.length > MOST && <li>and {integer(lines.length - MOST)} more</li>}
      </ul>
    </div>
  );
}
