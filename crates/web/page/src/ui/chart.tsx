// A thin frame around uPlot: our colours, our numbers, a point that can be dragged.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { useSize } from "../hooks";
import { apart, type Columns, nearest } from "../logic/curve";
import { type Palette, usePalette } from "../theme";

export interface Line {
  label: string;
  colour: keyof Palette & string;
  step?: boolean;
  dash?: number[];
  dots?: boolean;
  /** False: its dots only. */
  line?: boolean;
}

interface Props {
  label: string;
  columns: Columns;
  lines: Line[];
  xLabel: string;
  xUnit?: string;
  yLabel: string;
  x: (value: number) => string;
  y: (value: number) => string;
  xTicks?: (min: number, max: number) => number[];
  selected?: number | null;
  onSelect?: (index: number) => void;
  /** Only whole numbers make sense on the y axis, or on the x axis. */
  whole?: boolean;
  xWhole?: boolean;
  /** Lower, as there is nothing to draw. */
  brief?: boolean;
  empty: string;
}

export function Chart(props: Props) {
  const { columns, lines, selected, onSelect } = props;
  const { ref, size } = useSize<HTMLDivElement>();
  const palette = usePalette();
  const plot = useRef<uPlot | null>(null);
  const now = useRef(props);
  now.current = props;
  const [at, setAt] = useState<number | null>(null);
  const shape = JSON.stringify([lines, props.xLabel, props.yLabel, props.whole]);

  useEffect(() => {
    if (!size.width) return;
    const made = new uPlot(options(now, palette, size, setAt), now.current.columns as uPlot.AlignedData, ref.current!);
    plot.current = made;
    return () => (made.destroy(), void (plot.current = null));
  }, [palette, shape, size.width > 0]);
  useEffect(() => plot.current?.setSize(size), [size]);
  useEffect(() => plot.current?.setData(columns as uPlot.AlignedData), [columns]);
  useEffect(() => plot.current?.redraw(false), [selected]);

  const choose = (event: PointerEvent) => {
    if (!onSelect || !plot.current || (event.type !== "pointerdown" && event.buttons === 0)) return;
    const box = plot.current.over.getBoundingClientRect();
    onSelect(nearest(columns[0], plot.current.posToVal(event.clientX - box.left, "x")));
  };
  const shown = at ?? selected ?? null;
  return (
    <figure class="chart">
      <figcaption>
        {(props.brief ? [] : lines).map((line) => (
          <span key={line.label} class="key">
            <i class={line.line === false ? "dot-key" : line.dash ? "dashed" : ""} style={{ color: palette[line.colour] as string }} /> {line.label}
          </span>
        ))}
        <span class="readout number" aria-live="off">
          {shown !== null && columns[0][shown] !== undefined && readout(props, shown)}
        </span>
      </figcaption>
      <div
        class={`plot ${onSelect ? "choice" : ""} ${props.brief ? "brief" : ""}`}
        ref={ref}
        role="img"
        aria-label={props.label}
        onPointerDown={choose}
        onPointerMove={choose}
      >
        {columns[0].length === 0 && <p class="empty">{props.empty}</p>}
      </div>
    </figure>
  );
}

function readout({ columns, lines, x, y, xUnit }: Props, i: number): string {
  const values = lines.map((line, l) => [line.label, columns[l + 1][i]] as const).filter(([, value]) => value != null);
  return [
    xUnit ? `${x(columns[0][i])} ${xUnit}` : x(columns[0][i]),
    ...values.map(([label, value]) => `${label} ${y(value!)}`),
  ].join(" · ");
}

const LABEL = 62; // pixels that a label on the x axis takes
// Steps of the axes: never 2.5, which a label with few digits would round to something else.
const STEPS = Array.from({ length: 21 }, (_, p) => [1, 2, 5].map((n) => Number(`${n}e${p - 10}`))).flat();
const WHOLE = STEPS.filter((step) => step >= 1);

const count = (values: ArrayLike<number | null | undefined>) => Array.from(values).filter((v) => v != null).length;

type Now = { current: Props };

function options(
  now: Now,
  palette: Palette,
  size: { width: number; height: number },
  point: (i: number | null) => void,
): uPlot.Options {
  // Large screens are looked at from farther away.
  const text = innerWidth >= 2000 ? 13 : 11;
  const axis = {
    stroke: palette.muted,
    grid: { stroke: palette.line, width: 1 },
    ticks: { show: false },
    font: `${text}px system-ui, sans-serif`,
    labelFont: `${text}px system-ui, sans-serif`,
    labelSize: text + 5,
    labelGap: 0,
  };
  const { lines, xLabel, yLabel, xTicks, whole, xWhole } = now.current;
  const dots = (line: Line) => ({
    // A single value draws no line.
    show: (u: uPlot, i: number) => line.dots || count(u.data[i]) === 1,
    size: line.line === false ? 9 : 7,
    fill: line.line === false ? (palette[line.colour] as string) : palette.panel,
    stroke: palette[line.colour] as string,
    width: 2,
  });
  return {
    ...size,
    padding: [10, 18, 0, 4],
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
    scales: {
      x: {
        time: false,
        range: (_u, min, max) => across(min, max, xTicks !== undefined),
      },
      y: { range: (_u, min, max) => padded(min, max, whole ? 1 : 0) },
    },
    axes: [
      {
        ...axis,
        label: xLabel,
        size: text + 11,
        gap: 2,
        space: 60,
        incrs: xWhole ? WHOLE : STEPS,
        values: (_u: uPlot, splits: number[]) => splits.map((v) => now.current.x(v)),
        ...(xTicks
          ? {
              splits: (u: uPlot, _a: number, min: number, max: number) =>
                apart(xTicks(min, max), ((max - min) * LABEL) / (u.width - 80)),
            }
          : {}),
      },
      {
        ...axis,
        label: yLabel,
        space: 28,
        incrs: whole ? WHOLE : STEPS,
        size: (_u: uPlot, values: string[] | null) =>
          14 + 0.58 * text * Math.max(3, ...(values ?? []).map((v) => v?.length ?? 0)),
        values: (_u: uPlot, splits: number[]) => plain(splits.map((v) => now.current.y(v))),
      },
    ],
    series: [
      {},
      ...lines.map((line) => ({
        label: line.label,
        stroke: palette[line.colour] as string,
        width: 2,
        dash: line.dash,
        paths: line.line === false ? () => null : line.step ? uPlot.paths.stepped!({ align: 1 }) : undefined,
        points: dots(line),
        spanGaps: true,
      })),
    ],
    hooks: {
      setCursor: [(u: uPlot) => point(u.cursor.idx ?? null)],
      draw: [(u: uPlot) => marker(u, now.current, palette)],
    },
  };
}

/** Labels without decimals that all of them lack. */
const plain = (labels: string[]) =>
  labels.every((label) => /\.0+(?!\d)/.test(label)) ? labels.map((label) => label.replace(/\.0+(?!\d)/, "")) : labels;

/** Times and moves begin at 0; what has ticks of its own, such as confidence, stands within its ends. */
function across(min: number, max: number, own: boolean): [number, number] {
  if (own) return min === max ? [min - 0.5, max + 0.5] : [min - (max - min) * 0.04, max + (max - min) * 0.04];
  // A little beyond the end, where the last step would fall on the frame.
  return [0, max > 0 ? max * 1.02 : 1];
}

function padded(min: number | null, max: number | null, least: number): [number, number] {
  if (min === null || max === null) return [0, 1];
  // A range of less than a hundredth would have the same number at every tick.
  const room = Math.max((max - min) * 0.08, Math.abs(max) * 0.01, least) || 1;
  // What is never negative is not drawn as if it could be.
  return [min >= 0 ? Math.max(0, min - room) : min - room, max + room];
}

/** The chosen point: a line down to its x, and a filled dot. */
function marker(u: uPlot, { columns, selected }: Props, palette: Palette) {
  if (selected === null || selected === undefined || columns[0][selected] === undefined) return;
  const value = columns[1][selected];
  if (value === null) return;
  const { ctx } = u;
  const x = u.valToPos(columns[0][selected], "x", true);
  const y = u.valToPos(value, "y", true);
  const ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.strokeStyle = palette.accent;
  ctx.fillStyle = palette.accent;
  ctx.lineWidth = ratio;
  ctx.beginPath();
  ctx.moveTo(x, u.bbox.top + u.bbox.height);
  ctx.lineTo(x, y);
  ctx.stroke();
  ctx.beginPath();
  ctx.arc(x, y, 6 * ratio, 0, 2 * Math.PI);
  ctx.fill();
  ctx.restore();
}
