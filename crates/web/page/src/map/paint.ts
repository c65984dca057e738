// Paints the part of a scene that is in view. The nearer one is, the more a cell tells.
import { fillScale } from "../logic/colour";
import { integer, percent } from "../logic/format";
import type { Block, Layout, Size } from "../logic/layout";
import type { Palette } from "../theme";
import { cellText } from "./cell";
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
    paintHeader(ctx, palette, block, left, top, camera.zoom);
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

function paintHeader(
  ctx: CanvasRenderingContext2D,
  palette: Palette,
  block: Block,
  left: number,
  top: number,
  zoom: number,
) {
  // A short name may reach into the gap to the next block.
  const room = block.width * zoom + 8;
  if (room < 36) return;
  const size = Math.min(15, Math.max(11, 11.5 * zoom));
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

/** Text cut to a width, with an ellipsis; nothing when not even three letters fit. */
export function fit(ctx: CanvasRenderingContext2D, text: string, room: number): string {
  if (ctx.measureText(text).width <= room) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (ctx.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return low < 3 ? "" : `${text.slice(0, low)}…`;
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
  const isNew = (node: number) => node >= scene.opened;

  if (scene.change) {
    const { arrives, leaves } = scene.change;
    return (node, x, y) => {
      ctx.fillStyle = palette.cell;
      ctx.fillRect(x, y, width, height);
      const [come, gone] = [arrives[node], leaves[node]];
      if (come > 0 && gone > 0 && width < 64) {
        halves(ctx, palette, x, y, width, height);
      } else if ((come > 0 || gone > 0) && width < 64) {
        ctx.fillStyle = come > 0 ? palette.arrive : palette.leave;
        ctx.fillRect(x, y, width, height);
      }
      if (width >= 64) cellText(ctx, picture, node, x, y, width, height);
      else if (width >= 30 && (come > 0 || gone > 0)) changeCount(ctx, palette, come, gone, x, y, width, height);
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
  const text = width >= 64;
  return (node, x, y) => {
    ctx.fillStyle = palette.cell;
    ctx.fillRect(x, y, width, height);
    if (text) {
      cellText(ctx, picture, node, x, y, width, height);
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

function halves(ctx: CanvasRenderingContext2D, palette: Palette, x: number, y: number, width: number, height: number) {
  const half = Math.max(1, Math.round(width / 2));
  ctx.fillStyle = palette.leave;
  ctx.fillRect(x, y, half, height);
  ctx.fillStyle = palette.arrive;
  ctx.fillRect(x + half, y, width - half, height);
}

/** How many leave and arrive: each number in the middle of its half, or of the cell. */
function changeCount(
  ctx: CanvasRenderingContext2D,
  palette: Palette,
  come: number,
  gone: number,
  x: number,
  y: number,
  width: number,
  height: number,
) {
  ctx.font = `600 10.5px ${FONT}`;
  ctx.fillStyle = palette.panel;
  ctx.textBaseline = "middle";
  const both = come > 0 && gone > 0;
  const room = both ? width / 2 : width;
  const write = (text: string, left: number) => {
    const wide = ctx.measureText(text).width;
    if (wide <= room - 2) ctx.fillText(text, left + (room - wide) / 2, y + height / 2 + 1);
  };
  if (gone > 0) write(`−${gone}`, x);
  if (come > 0) write(`+${come}`, both ? x + room : x);
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
