// Paints the part of a scene that is in view. The nearer one is, the more a cell tells.
import { contrast, css, fillScale, mix } from "../logic/colour";
import { integer, percent, shortened } from "../logic/format";
import type { Block, Layout, Size } from "../logic/layout";
import type { Palette } from "../theme";
import { cellStyle, cellText, WORDS } from "./cell";
import type { Scene } from "./scene";

export interface Camera {
  x: number; // the point of the drawing in the upper left corner
  y: number;
  zoom: number;
}

export interface Picture {
  scene: Scene;
  layout: Layout;
  palette: Palette;
  /** Nodes to look at; the others step back. */
  lit: Uint8Array | null;
  /** Services that were searched for. */
  marked: Set<number> | null;
}

export const FONT = '"Inter", system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

export function paint(ctx: CanvasRenderingContext2D, picture: Picture, camera: Camera, view: Size) {
  const { palette, layout, lit } = picture;
  ctx.fillStyle = palette.panel;
  ctx.fillRect(0, 0, view.width, view.height);
  const scale = fillScale(palette.rgb("low"), palette.rgb("full"), palette.rgb("broken"));
  const cell = { width: layout.cell.width * camera.zoom, height: layout.cell.height * camera.zoom };
  const paintCell = chooseCell(ctx, picture, scale, cell);
  for (const block of layout.blocks) {
    const top = (block.y - camera.y) * camera.zoom;
    const left = (block.x - camera.x) * camera.zoom;
    if (top > view.height || left > view.width) continue;
    if (top + block.height * camera.zoom < 0 || left + block.width * camera.zoom < 0) continue;
    paintHeader(ctx, palette, block, left, top, camera.zoom, headerSize(layout.cell.width));
    for (const node of rowsInView(block, layout, camera, view)) {
      const x = Math.round((layout.x[node] - camera.x) * camera.zoom);
      const y = Math.round((layout.y[node] - camera.y) * camera.zoom);
      if (x > view.width || x + cell.width < 0) continue;
      ctx.globalAlpha = lit && !lit[node] ? 0.5 : 1;
      paintCell(node, x, y);
      if (lit && lit[node] && cell.width >= 5) frame(ctx, palette.leave, x, y, cell);
    }
    ctx.globalAlpha = 1;
  }
}

function* rowsInView(block: Block, layout: Layout, camera: Camera, view: Size): Generator<number> {
  const step = layout.cell.height + layout.gap;
  const top = block.y + layout.header;
  const first = Math.max(0, Math.floor((camera.y - top) / step));
  const last = Math.floor((camera.y + view.height / camera.zoom - top) / step);
  const end = Math.min(block.nodes.length, (last + 1) * block.columns);
  for (let i = first * block.columns; i < end; i++) yield block.nodes[i];
}

/** Names of blocks keep up with the text of their cells. */
const headerSize = (cell: number) => (cell >= 400 ? 17 : cell >= 232 ? 14 : 11.5);

function paintHeader(
  ctx: CanvasRenderingContext2D,
  palette: Palette,
  block: Block,
  left: number,
  top: number,
  zoom: number,
  plain: number,
) {
  // A short name may reach into the gap to the next block.
  const room = block.width * zoom + 8;
  if (room < 36) return;
  const size = Math.min(Math.max(15, plain), Math.max(11, plain * zoom));
  ctx.textBaseline = "alphabetic";
  const baseline = top + 15 * Math.max(1, Math.min(zoom, 1.3));
  ctx.font = `600 ${size}px ${FONT}`;
  const name = fit(ctx, block.name, room);
  ctx.fillStyle = palette.ink;
  ctx.fillText(name, left, baseline);
  const used = ctx.measureText(name).width + 8;
  ctx.font = `400 ${size}px ${FONT}`;
  const n = block.nodes.length;
  const tail = `${integer(n)} ${n === 1 ? "node" : "nodes"}`;
  ctx.fillStyle = palette.muted;
  if (used + ctx.measureText(tail).width <= room) ctx.fillText(tail, left + used, baseline);
}

/** Text cut to a width: an ellipsis in the middle, for names differ at their ends; nothing below three letters. */
export function fit(ctx: CanvasRenderingContext2D, text: string, room: number): string {
  if (ctx.measureText(text).width <= room) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (ctx.measureText(shortened(text, middle)).width <= room) low = middle;
    else high = middle - 1;
  }
  return low < 3 ? "" : shortened(text, low);
}

type PaintCell = (node: number, x: number, y: number) => void;

function chooseCell(
  ctx: CanvasRenderingContext2D,
  picture: Picture,
  scale: (share: number) => string,
  cell: Size,
): PaintCell {
  const { scene, palette } = picture;
  const [width, height] = [Math.max(1, Math.round(cell.width)), Math.max(1, Math.round(cell.height))];
  const r = scene.map.resources.length;
  const largest = (node: number) => {
    let most = 0;
    for (let i = node * r; i < (node + 1) * r; i++) most = Math.max(most, scene.share[i]);
    return most;
  };
  // Where all nodes are new, saying so of each says nothing.
  const isNew = (node: number) => scene.opened > 0 && node >= scene.opened;

  const words = width >= WORDS ? cellStyle(picture, width, height) : null;
  if (scene.change) {
    const { arrives, leaves } = scene.change;
    const tint = { arrive: tints(palette, "arrive", arrives), leave: tints(palette, "leave", leaves) };
    return (node, x, y) => {
      ctx.fillStyle = palette.cell;
      ctx.fillRect(x, y, width, height);
      const [come, gone] = [arrives[node], leaves[node]];
      if (words) {
        cellText(ctx, picture, words, tint, node, x, y, width, height);
      } else {
        // What leaves on the left, what arrives on the right; alone it has the whole cell.
        const half = come > 0 && gone > 0 ? Math.max(1, Math.round(width / 2)) : gone > 0 ? width : 0;
        if (gone > 0) changed(ctx, tint.leave(gone), `−${gone}`, x, y, half, height);
        if (come > 0) changed(ctx, tint.arrive(come), `+${come}`, x + half, y, width - half, height);
      }
      if (isNew(node) && width >= 12) outline(ctx, palette.accent, x, y, width, height);
    };
  }
  if (width < 6 || r === 0) {
    return (node, x, y) => {
      const most = largest(node);
      ctx.fillStyle = most > 0 ? scale(most) : palette.cell;
      ctx.fillRect(x, y, width, height);
    };
  }
  return (node, x, y) => {
    ctx.fillStyle = palette.cell;
    ctx.fillRect(x, y, width, height);
    if (words) {
      cellText(ctx, picture, words, null, node, x, y, width, height);
    } else {
      for (let i = 0; i < r; i++) {
        const share = scene.share[node * r + i];
        if (share <= 0) continue;
        const left = Math.round((i * width) / r);
        const right = Math.round(((i + 1) * width) / r) - (width >= 12 && i + 1 < r ? 1 : 0);
        const rise = Math.max(1, Math.round(Math.min(1, share) * height));
        ctx.fillStyle = scale(share);
        ctx.fillRect(x + left, y + height - rise, right - left, rise);
      }
    }
    if (isNew(node) && width >= 8) outline(ctx, palette.accent, x, y, width, height);
  };
}

interface Tint {
  fill: string;
  text: string;
}

export type Tints = Record<"arrive" | "leave", (count: number) => Tint>;

const STRENGTHS = 6;

/** The more changes, the stronger the colour; its number is written in what can be read on it. */
function tints(palette: Palette, name: "arrive" | "leave", counts: Float64Array): (count: number) => Tint {
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const steps = Array.from({ length: STRENGTHS + 1 }, (_, i) => {
    const fill = mix(palette.rgb("cell"), palette.rgb(name), 0.3 + (0.7 * i) / STRENGTHS);
    const dark = contrast(palette.rgb("ink"), fill) > contrast(palette.rgb("panel"), fill);
    return { fill: css(fill), text: dark ? palette.ink : palette.panel };
  });
  return (count) => steps[Math.ceil(STRENGTHS * Math.sqrt(count / most))];
}

/** A part of a cell with how many arrive or leave. */
export function changed(
  ctx: CanvasRenderingContext2D,
  { fill, text }: Tint,
  count: string,
  x: number,
  y: number,
  width: number,
  height: number,
  size = 1,
) {
  ctx.fillStyle = fill;
  ctx.fillRect(x, y, width, height);
  if (height < 16) return;
  ctx.font = `600 ${10.5 * size}px ${FONT}`;
  const wide = ctx.measureText(count).width;
  if (wide > width - 2) return;
  ctx.fillStyle = text;
  ctx.textBaseline = "middle";
  ctx.fillText(count, x + (width - wide) / 2, y + height / 2 + 1);
}

/** Around a node that is looked at: colour alone does not carry it. */
function frame(ctx: CanvasRenderingContext2D, colour: string, x: number, y: number, cell: Size) {
  const line = cell.width >= 30 ? 2 : 1;
  ctx.strokeStyle = colour;
  ctx.lineWidth = line;
  ctx.strokeRect(x + line / 2, y + line / 2, Math.round(cell.width) - line, Math.round(cell.height) - line);
}

export function outline(
  ctx: CanvasRenderingContext2D,
  colour: string,
  x: number,
  y: number,
  width: number,
  height: number,
) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([4, 3]);
  ctx.strokeRect(x + 0.75, y + 0.75, width - 1.5, height - 1.5);
  ctx.setLineDash([]);
}

export const shareText = (share: number) => (Number.isFinite(share) ? percent(share, 0) : "over");
