// A cell with room for words: the node's name, its resources, and who lives there.
import { amount } from "../logic/format";
import { fillScale } from "../logic/colour";
import { fit, FONT, type Picture, shareText } from "./paint";

const LINE = 16;
const PLAIN = 232; // up to this width text has its plain size; beyond, it grows with the cell

const growth = (width: number) => Math.min(1.8, Math.max(1, width / PLAIN));

export function cellText(
  ctx: CanvasRenderingContext2D,
  picture: Picture,
  node: number,
  x: number,
  y: number,
  width: number,
  height: number,
) {
  const { scene, palette } = picture;
  const k = growth(width);
  const inset = width >= 110 ? 9 * k : 5;
  const room = width - 2 * inset;
  ctx.textBaseline = "alphabetic";
  ctx.fillStyle = palette.ink;
  ctx.font = `600 ${width >= 110 ? 12.5 * k : 11}px ${FONT}`;
  ctx.fillText(fit(ctx, scene.nodes.name[node], room), x + inset, y + 17 * k);
  let top = y + 26 * k;
  const r = scene.map.resources.length;
  const scale = fillScale(palette.rgb("low"), palette.rgb("full"), palette.rgb("broken"));
  const tall = width >= 110 ? 19 * k : 7;
  const thick = Math.round(4 * k);
  for (let i = 0; i < r && top + tall <= y + height; i++, top += tall) {
    const share = scene.share[node * r + i];
    const bar = Math.round(top + tall - 6 * k);
    ctx.fillStyle = palette.panel;
    ctx.fillRect(x + inset, bar, room, thick);
    ctx.fillStyle = scale(share);
    ctx.fillRect(x + inset, bar, Math.round(room * Math.min(1, share)), thick);
    if (width >= 110) resourceText(ctx, picture, node, i, x + inset, bar - 3 * k, room, k);
  }
  if (width >= 110) residents(ctx, picture, node, x + inset, top + 14 * k, room, y + height - 7 * k, k);
}

function resourceText(
  ctx: CanvasRenderingContext2D,
  picture: Picture,
  node: number,
  resource: number,
  x: number,
  baseline: number,
  room: number,
  k: number,
) {
  const { scene, palette } = picture;
  const { map } = scene;
  const kind = map.resources[resource];
  const used = scene.used[node * map.resources.length + resource];
  const right = shareText(scene.share[node * map.resources.length + resource]);
  ctx.font = `400 ${10.5 * k}px ${FONT}`;
  ctx.fillStyle = palette.muted;
  const rightWidth = ctx.measureText(right).width;
  ctx.fillText(right, x + room - rightWidth, baseline);
  const full = `${kind.name} ${amount(used, kind)} of ${amount(scene.nodes.capacity[node][resource], kind)}`;
  const short = `${kind.name} ${amount(used, kind)}`;
  const left = room - rightWidth - 6;
  ctx.fillText(ctx.measureText(full).width <= left ? full : fit(ctx, short, left), x, baseline);
}

/** Who lives here, or what changes; the last line says how many more there are. */
function residents(
  ctx: CanvasRenderingContext2D,
  picture: Picture,
  node: number,
  x: number,
  first: number,
  room: number,
  bottom: number,
  k: number,
) {
  const { scene, palette, marked } = picture;
  const rows = scene.change ? scene.change.rows : scene.placed;
  const index = scene.change ? scene.change.index : scene.index;
  const [start, end] = [index.start[node], index.start[node + 1]];
  const lines = Math.floor((bottom - first) / (LINE * k)) + 1;
  ctx.font = `400 ${11.5 * k}px ${FONT}`;
  if (start === end) {
    ctx.fillStyle = palette.muted;
    if (lines > 0) ctx.fillText(scene.change ? "unchanged" : "empty", x, first);
    return;
  }
  const shown = end - start <= lines ? end - start : lines - 1;
  let baseline = first;
  for (let i = start; i < start + Math.max(0, shown); i++, baseline += LINE * k) {
    const row = index.rows[i];
    const count = rows.count[row];
    const text = scene.change ? (count > 0 ? `+${count}` : `−${-count}`) : `${count} ×`;
    ctx.font = `400 ${11.5 * k}px ${FONT}`;
    ctx.fillStyle = scene.change ? (count > 0 ? palette.arrive : palette.leave) : palette.muted;
    ctx.fillText(text, x, baseline);
    const found = marked?.has(rows.service[row]) ?? false;
    ctx.font = `${found ? 700 : 400} ${11.5 * k}px ${FONT}`;
    ctx.fillStyle = found ? palette.leave : palette.ink;
    ctx.fillText(fit(ctx, scene.map.services.name[rows.service[row]], room - 28 * k), x + 28 * k, baseline);
  }
  if (shown < end - start && lines > 0) {
    ctx.fillStyle = palette.muted;
    ctx.fillText(`and ${end - start - Math.max(0, shown)} more`, x, baseline);
  }
}
