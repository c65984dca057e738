// A cell with room for words: the node's name, its resources or what changes, and who lives there.
import { count, labelled, usedOf } from "../logic/format";
import { fillScale } from "../logic/colour";
import { changed, fit, FONT, type Picture, shareText, type Tints } from "./paint";
import { kindOf, residents, resourcesOf } from "./resident";

const PLAIN = 232; // up to this width text has its plain size; beyond, it grows with the cell
const NARROW = 110; // below this width text is a little smaller
export const WORDS = 84; // from this width on there is room for them

// Heights at the plain size.
const NAME = 26;
const BAR = 4;
const RESOURCE = 15; // the words above a bar
const LINE = 16;

const sizeOf = (width: number) => (width < NARROW ? 0.86 : Math.min(2, Math.max(1, width / PLAIN)));

/** How a picture's cells are filled: all alike, so that bars can be compared. */
export interface Style {
  /** The size of text. */
  k: number;
  /** The height of a bar, of the space below it, and of a line of the list. */
  bar: number;
  below: number;
  line: number;
}

/** Where cells are taller than their words, the bars and lines take the room. */
export function cellStyle({ scene }: Picture, width: number, height: number): Style {
  const k = sizeOf(width);
  const { start } = (scene.change ?? scene).index;
  let most = 1;
  for (let node = 0; node + 1 < start.length; node++) most = Math.max(most, start[node + 1] - start[node]);
  const bars = scene.change ? 0 : scene.map.resources.length;
  const spare = Math.max(0, height - k * (NAME + bars * (RESOURCE + BAR) + 14 + most * LINE + 7));
  const more = bars > 0 ? Math.min(16 * k, (0.6 * spare) / bars) : 0;
  return {
    k,
    bar: Math.round(BAR * k + more / 2),
    below: 2 * k + more / 2,
    line: LINE * k + Math.min(8 * k, (spare - bars * more) / most),
  };
}

/** Where text may go: its left edge and its width. */
interface Column {
  x: number;
  room: number;
}

export function cellText(
  ctx: CanvasRenderingContext2D,
  picture: Picture,
  style: Style,
  tints: Tints | null,
  node: number,
  x: number,
  y: number,
  width: number,
  height: number,
) {
  const { scene, palette } = picture;
  const { k } = style;
  const inset = width >= NARROW ? 9 * k : 5;
  const column = { x: x + inset, room: width - 2 * inset };
  ctx.textBaseline = "alphabetic";
  ctx.fillStyle = palette.ink;
  ctx.font = `600 ${Math.max(11, 12.5 * k)}px ${FONT}`;
  ctx.fillText(fit(ctx, scene.nodes.name[node], column.room), column.x, y + 17 * k);
  const top = y + NAME * k;
  const end = tints
    ? sums(ctx, picture, tints, node, column, top, k)
    : bars(ctx, picture, style, node, column, top, y + height);
  list(ctx, picture, style, node, column, end + 14 * k, y + height - 7 * k);
}

/** How many leave and how many arrive, in the colours of the small cells. */
function sums(
  ctx: CanvasRenderingContext2D,
  { scene }: Picture,
  tints: Tints,
  node: number,
  { x, room }: Column,
  top: number,
  k: number,
): number {
  const [come, gone] = [scene.change!.arrives[node], scene.change!.leaves[node]];
  if (come === 0 && gone === 0) return top;
  const half = Math.round(room / 2);
  const tall = Math.round(20 * k);
  if (gone > 0) changed(ctx, tints.leave(gone), `−${gone}`, x, top, half, tall, k);
  if (come > 0) changed(ctx, tints.arrive(come), `+${come}`, x + half, top, room - half, tall, k);
  ctx.textBaseline = "alphabetic";
  return top + tall + 2 * k;
}

function bars(
  ctx: CanvasRenderingContext2D,
  picture: Picture,
  { k, bar, below }: Style,
  node: number,
  column: Column,
  top: number,
  bottom: number,
): number {
  const { scene, palette } = picture;
  const r = scene.map.resources.length;
  const scale = fillScale(palette.rgb("low"), palette.rgb("full"), palette.rgb("broken"));
  const tall = (RESOURCE - 2) * k + bar + below;
  for (const i of resourcesOf(scene, node)) {
    if (top + tall > bottom) break;
    const share = scene.share[node * r + i];
    const from = Math.round(top + tall - bar - below);
    ctx.fillStyle = palette.panel;
    ctx.fillRect(column.x, from, column.room, bar);
    ctx.fillStyle = scale(share);
    ctx.fillRect(column.x, from, Math.round(column.room * Math.min(1, share)), bar);
    resourceText(ctx, picture, node, i, column, from - 3 * k, k);
    top += tall;
  }
  return top;
}

function resourceText(
  ctx: CanvasRenderingContext2D,
  picture: Picture,
  node: number,
  resource: number,
  { x, room }: Column,
  baseline: number,
  k: number,
) {
  const { scene, palette } = picture;
  const { map } = scene;
  const kind = map.resources[resource];
  const used = scene.used[node * map.resources.length + resource];
  const right = shareText(scene.share[node * map.resources.length + resource]);
  ctx.font = `400 ${Math.max(9.5, 10.5 * k)}px ${FONT}`;
  ctx.fillStyle = palette.muted;
  const rightWidth = ctx.measureText(right).width;
  ctx.fillText(right, x + room - rightWidth, baseline);
  const full = usedOf(used, scene.nodes.capacity[node][resource], kind);
  // Shares of the cluster beside shares of the node would be taken for each other.
  const short = kind.unit === "cluster" ? kind.name : labelled(used, kind);
  const left = room - rightWidth - 6;
  const fits = [full, short].find((text) => ctx.measureText(text).width <= left);
  ctx.fillText(fits ?? fit(ctx, kind.name, left), x, baseline);
}

/** Who lives here, or what changes; the last line says how many more there are. */
function list(
  ctx: CanvasRenderingContext2D,
  { scene, palette, marked }: Picture,
  { k, line }: Style,
  node: number,
  { x, room }: Column,
  first: number,
  bottom: number,
) {
  const all = residents(scene, node);
  const lines = Math.floor((bottom - first) / line) + 1;
  const font = (weight: number) => (ctx.font = `${weight} ${Math.max(10, 11.5 * k)}px ${FONT}`);
  font(400);
  if (all.length === 0) {
    ctx.fillStyle = palette.muted;
    if (lines > 0) ctx.fillText(scene.change ? "unchanged" : "empty", x, first);
    return;
  }
  const shown = all.length <= lines ? all.length : Math.max(0, lines - 1);
  let baseline = first;
  for (const { service, count: times, name, extra, change } of all.slice(0, shown)) {
    font(change === 0 ? 400 : 600);
    ctx.fillStyle = change > 0 ? palette.arrive : change < 0 ? palette.leave : palette.muted;
    ctx.fillText(times, x, baseline);
    font(400);
    const right = ctx.measureText(extra).width;
    ctx.fillText(extra, x + room - right, baseline);
    const left = times === "" ? 0 : Math.max(33 * k, ctx.measureText(times).width + 6);
    const found = marked?.has(service) ?? false;
    font(found ? 700 : 400);
    ctx.fillStyle = found ? palette.leave : palette.ink;
    ctx.fillText(fit(ctx, name, room - left - (right > 0 ? right + 8 : 0)), x + left, baseline);
    baseline += line;
  }
  if (shown < all.length && lines > 0) {
    ctx.fillStyle = palette.muted;
    const what = scene.change ? "change" : kindOf(scene);
    ctx.fillText(shown > 0 ? `and ${all.length - shown} more` : count(all.length, what), x, baseline);
  }
}
