// Values over the time of a run.
import { useMemo } from "preact/hooks";
import { type Columns, timeUnit } from "../logic/curve";
import { seconds } from "../logic/format";
import { Chart, type Line } from "./chart";

export const LINES: Line[] = [
  { label: "incumbent", colour: "accent", step: true },
  { label: "bound", colour: "leave", step: true, dash: [6, 4] },
  { label: "answer", colour: "accent", dots: true, line: false },
];

interface Props {
  label: string;
  columns: Columns;
  lines?: Line[];
  /** What is counted, and how it is written. */
  yLabel: string;
  y: (value: number) => string;
  /** Only whole numbers make sense. */
  whole: boolean;
  ended: boolean;
  empty: string;
  /** What to say instead of a single moment. */
  once?: string;
  /** May be lower when there is nothing to draw. */
  brief?: boolean;
}

export function TimeChart({ label, columns, lines = LINES, yLabel, y, whole, ended, empty, once: words, brief }: Props) {
  const times = columns[0];
  // One moment draws no line; words say it better.
  const once = ended && times.length === 1;
  const shown = useMemo(() => (once ? (columns.map(() => []) as unknown as Columns) : columns), [columns, once]);
  const { unit, per } = timeUnit(times.at(-1) ?? 1);
  return (
    <Chart
      label={label}
      columns={shown}
      lines={lines}
      xLabel={`time, ${unit}`}
      xUnit={unit}
      yLabel={yLabel}
      x={(v) => String(Number((v * per).toPrecision(6)))}
      y={y}
      whole={whole}
      brief={brief && shown[0].length === 0}
      empty={once ? (words ?? `The first plan was the answer, after ${seconds(times[0])}.`) : empty}
    />
  );
}
