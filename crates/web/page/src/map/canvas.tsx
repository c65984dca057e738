// The map on a canvas: pans by moving a picture that is larger than the view, repaints when it must.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useSize } from "../hooks";
import { layout as computeLayout, neighbour, nodeAt } from "../logic/layout";
import type { Group } from "../logic/groups";
import { usePalette } from "../theme";
import { Painter } from "./painter";
import type { Camera } from "./paint";
import type { Scene } from "./scene";
import { Tooltip } from "./tooltip";

interface Props {
  scene: Scene;
  groups: Group[];
  lit: Uint8Array | null;
  marked: Set<number> | null;
  label: string;
}

const NEAREST = 40;
const BUTTONS = 40; // room below, so that the zoom buttons cover no node

export function MapCanvas({ scene, groups, lit, marked, label }: Props) {
  const { ref, size } = useSize<HTMLDivElement>();
  const surface = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  const layout = useMemo(() => {
    if (!size.width) return null;
    const made = computeLayout(groups, scene.nodes.name.length, { ...size, height: size.height - BUTTONS });
    return { ...made, height: made.height + BUTTONS };
  }, [groups, scene.nodes, size]);
  const painter = useRef<Painter | null>(null);
  const camera = useRef<Camera>({ x: 0, y: 0, zoom: 1 });
  const [pointed, setPointed] = useState<{ node: number; x: number; y: number } | null>(null);

  useEffect(() => {
    painter.current = new Painter(canvas.current!);
    return () => painter.current?.end();
  }, []);
  useEffect(() => {
    camera.current = { x: 0, y: 0, zoom: 1 };
    setPointed(null);
  }, [layout]);
  useEffect(() => {
    if (layout) painter.current!.show({ scene, layout, palette, lit, marked }, size, camera.current);
  }, [scene, layout, palette, lit, marked, size]);

  const look = (change: Partial<Camera>) => {
    if (!layout) return;
    const next = { ...camera.current, ...change };
    next.zoom = Math.min(NEAREST, Math.max(1, next.zoom));
    // The drawing never leaves the view.
    next.x = Math.min(Math.max(0, layout.width - size.width / next.zoom), Math.max(0, next.x));
    next.y = Math.min(Math.max(0, layout.height - size.height / next.zoom), Math.max(0, next.y));
    camera.current = next;
    painter.current!.look(next);
  };
  const zoomAt = (factor: number, px: number, py: number) => {
    const { x, y, zoom } = camera.current;
    const to = Math.min(NEAREST, Math.max(1, zoom * factor));
    look({ zoom: to, x: x + px / zoom - px / to, y: y + py / zoom - py / to });
  };
  const point = (node: number) => {
    if (!layout || node < 0) return setPointed(null);
    const { x, y, zoom } = camera.current;
    setPointed({ node, x: (layout.x[node] - x) * zoom, y: (layout.y[node] - y) * zoom });
  };

  const drag = useRef<{ x: number; y: number; camera: Camera } | null>(null);
  const onPointerDown = (event: PointerEvent) => {
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, y: event.clientY, camera: camera.current };
    setPointed(null);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (drag.current) {
      const { x, y, camera: from } = drag.current;
      look({ x: from.x - (event.clientX - x) / from.zoom, y: from.y - (event.clientY - y) / from.zoom });
    } else if (layout) {
      const { x, y, zoom } = camera.current;
      const node = nodeAt(layout, event.offsetX / zoom + x, event.offsetY / zoom + y);
      if (node !== (pointed?.node ?? -1)) point(node);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const { x, y, zoom } = camera.current;
    if (arrow && event.shiftKey) look({ x: x + (arrow[0] * 80) / zoom, y: y + (arrow[1] * 80) / zoom });
    else if (arrow && layout && layout.x.length > 0) {
      point(pointed ? neighbour(layout, pointed.node, arrow[0], arrow[1]) : (layout.blocks[0]?.nodes[0] ?? -1));
    } else if (event.key === "+" || event.key === "=") zoomAt(1.4, size.width / 2, size.height / 2);
    else if (event.key === "-") zoomAt(1 / 1.4, size.width / 2, size.height / 2);
    else if (event.key === "0") look({ x: 0, y: 0, zoom: 1 });
    else if (event.key === "Escape") setPointed(null);
    else return;
    event.preventDefault();
  };
  // A wheel listener that may refuse scrolling must say so, which the framework's cannot.
  useEffect(() => {
    const element = surface.current!;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      setPointed(null);
      zoomAt(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY);
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  });

  return (
    <div class="map" ref={ref}>
      <div
        class="surface"
        ref={surface}
        tabIndex={0}
        role="application"
        aria-label={`${label}. Arrow keys go from node to node, plus and minus zoom, 0 shows all.`}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={() => (drag.current = null)}
        onPointerLeave={() => !drag.current && setPointed(null)}
        onKeyDown={onKeyDown}
      >
        <canvas ref={canvas} />
      </div>
      {pointed && layout && (
        <Tooltip
          scene={scene}
          node={pointed.node}
          x={pointed.x}
          y={pointed.y}
          width={layout.cell.width * camera.current.zoom}
          height={layout.cell.height * camera.current.zoom}
          view={size}
        />
      )}
      <div class="zoom">
        <button type="button" title="Zoom in (+)" onClick={() => zoomAt(1.4, size.width / 2, size.height / 2)}>
          +
        </button>
        <button type="button" title="Zoom out (−)" onClick={() => zoomAt(1 / 1.4, size.width / 2, size.height / 2)}>
          −
        </button>
        <button type="button" title="Show all (0)" onClick={() => look({ x: 0, y: 0, zoom: 1 })}>
          All
        </button>
      </div>
    </div>
  );
}
