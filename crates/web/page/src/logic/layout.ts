// Every node a cell: groups as blocks, blocks on shelves, cells as large as fit.
import type { Group } from "./groups";

export interface Size {
  width: number;
  height: number;
}

export interface Block {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  columns: number;
  nodes: number[];
}

export interface Layout {
  cell: Size;
  gap: number;
  header: number;
  blocks: Block[];
  x: Float64Array; // per node
  y: Float64Array;
  width: number;
  height: number;
}

const PADDING = 16;
const BETWEEN = 14; // between blocks
const HEADER = 22;
const LARGEST = 760;

/** Wide cells have room for words, so they are not square. */
const LEAST_TALL = 0.72;
const MOST_TALL = 1.6;
const heightOf = (width: number, tall: number) => Math.max(1, Math.round(width >= 120 ? width * tall : width));
const gapOf = (width: number) => (width >= 64 ? 8 : width >= 20 ? 3 : width >= 5 ? 1 : 0);

/** How much wider than tall a block may be, in cells; which one leaves the largest cells is tried. */
const SPREADS = [Infinity, 10, 6, 4, 2.5, 1.6, 1];

/** Blocks from left to right; a new shelf where one does not fit. */
function shelves(
  groups: Group[],
  width: number,
  cellWidth: number,
  spread: number,
  tall = LEAST_TALL,
): { blocks: Block[]; height: number } {
  const gap = gapOf(cellWidth);
  const step = cellWidth + gap;
  const rise = heightOf(cellWidth, tall) + gap;
  const room = Math.max(1, Math.floor((width - 2 * PADDING + gap) / step));
  const blocks: Block[] = [];
  let x = PADDING;
  let y = PADDING;
  let shelf = 0;
  for (const { name, nodes } of groups) {
    const columns = Math.min(room, nodes.length, spread === Infinity ? room : Math.ceil(Math.sqrt(nodes.length * spread)));
    const size = {
      width: columns * step - gap,
      height: HEADER + Math.ceil(nodes.length / columns) * rise - gap,
    };
    if (x > PADDING && x + size.width > width - PADDING) {
      x = PADDING;
      y += shelf + BETWEEN;
      shelf = 0;
    }
    blocks.push({ name, x, y, ...size, columns, nodes });
    x += size.width + BETWEEN;
    shelf = Math.max(shelf, size.height);
  }
  return { blocks, height: y + shelf + PADDING };
}

interface Shape {
  width: number;
  tall: number;
  spread: number;
}

/** Cells with words list who lives there: of those that fit, the ones with the largest area, which may be tall. */
function roomiest(groups: Group[], view: Size, { width: widest, spread }: Shape): Shape & { area: number } {
  let best = { width: widest, tall: LEAST_TALL, spread, area: 0 };
  const fits = (width: number, tall: number) => shelves(groups, view.width, width, spread, tall).height <= view.height;
  for (let width = 120; width <= widest; width++) {
    let tall = LEAST_TALL;
    while (tall < MOST_TALL && fits(width, tall + 0.05)) tall += 0.05;
    const area = width * heightOf(width, tall);
    if (area >= best.area && fits(width, tall)) best = { width, tall, spread, area };
  }
  return best;
}

/** The widest cells that fit with this spread. */
function widest(groups: Group[], view: Size, spread: number): Shape {
  let low = 2;
  let high = LARGEST;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (shelves(groups, view.width, middle, spread).height <= view.height) low = middle;
    else high = middle - 1;
  }
  return { width: low, tall: LEAST_TALL, spread };
}

/** The first of the largest. */
const largest = <T>(shapes: T[], size: (shape: T) => number) =>
  shapes.reduce((best, shape) => (size(shape) > size(best) ? shape : best));

/** The layout with the largest cells that still fits; below two pixels a cell it may be taller. */
export function layout(groups: Group[], nodes: number, view: Size): Layout {
  const shapes = SPREADS.map((spread) => widest(groups, view, spread));
  const wordy = shapes.filter(({ width }) => width >= 120).map((shape) => roomiest(groups, view, shape));
  const best: Shape = wordy.length > 0 ? largest(wordy, ({ area }) => area) : largest(shapes, ({ width }) => width);
  const { blocks, height } = shelves(groups, view.width, best.width, best.spread, best.tall);
  const cell = { width: best.width, height: heightOf(best.width, best.tall) };
  const gap = gapOf(best.width);
  const x = new Float64Array(nodes);
  const y = new Float64Array(nodes);
  for (const block of blocks) {
    block.nodes.forEach((node, i) => {
      x[node] = block.x + (i % block.columns) * (cell.width + gap);
      y[node] = block.y + HEADER + Math.floor(i / block.columns) * (cell.height + gap);
    });
  }
  const width = Math.max(view.width, ...blocks.map((block) => block.x + block.width + PADDING));
  return { cell, gap, header: HEADER, blocks, x, y, width, height: Math.max(view.height, height) };
}

/** The node under a point of the drawing, or -1. */
export function nodeAt(layout: Layout, x: number, y: number): number {
  const { cell, gap, header } = layout;
  for (const block of layout.blocks) {
    const dx = x - block.x;
    const dy = y - block.y - header;
    if (dx < 0 || dy < 0 || dx >= block.width || y >= block.y + block.height) continue;
    const column = Math.floor(dx / (cell.width + gap));
    const row = Math.floor(dy / (cell.height + gap));
    const inCell = dx - column * (cell.width + gap) < cell.width && dy - row * (cell.height + gap) < cell.height;
    return inCell ? (block.nodes[row * block.columns + column] ?? -1) : -1;
  }
  return -1;
}

/** Where the arrow keys lead from a node: the nearest cell in that direction. */
export function neighbour(layout: Layout, node: number, dx: number, dy: number): number {
  let best = -1;
  let least = Infinity;
  for (let other = 0; other < layout.x.length; other++) {
    const right = layout.x[other] - layout.x[node];
    const down = layout.y[other] - layout.y[node];
    const along = right * dx + down * dy;
    if (along <= 0) continue;
    const aside = Math.abs(right * dy) + Math.abs(down * dx);
    const distance = along + 3 * aside;
    if (distance < least) [least, best] = [distance, other];
  }
  return best < 0 ? node : best;
}
